#!/usr/bin/env python3
"""Compares contextd's edges with the references of a SCIP index and prints precision and recall.

  compare_scip.py --scip INDEX.scip --symbols symbols.jsonl --edges edges.jsonl [--misses 20] [--wrong 20]
  compare_scip.py --scip INDEX.scip --repo DIR --bin contextd

A pair is a function or method and another function, method, class or type of the repository that it refers to, counted
once however often it does. Locals, parameters, fields and modules are no targets, and structural edges are set aside.

The source of a reference is the innermost function or method around it that both sides know. A class and its
constructor are one target; so are the declarations that a language merges under one name (overloads, a TypeScript
interface and the value of the same name). How many pairs needed that is printed.

What a repository adds to a foreign declaration (TypeScript's `declare module`, a global interface of the standard library)
counts as right where an edge leads there, and is not asked for.

Precision: of contextd's pairs with the wanted confidence, from files that the SCIP index covers, the share that SCIP has.
A pair whose target SCIP does not define anywhere is not judged, but counted. Recall: of SCIP's pairs, the share for which
contextd has an edge of any confidence; a pair whose ends contextd has no symbol for is a miss."""
import argparse
import collections
import json
import re

from answers import lines_of, run, share

FUNCTIONS = {"function", "method", "constructor", "destructor", "getter", "setter", "accessor", "operator", "generator",
             "test", "macro"}
TYPES = {"class", "struct", "interface", "trait", "enum", "union", "record", "protocol", "object", "type", "alias",
         "type_alias", "typealias", "typedef", "annotation", "extension", "mixin", "actor"}
STRUCTURAL = {"contains", "member_of", "exports", "tests", "co_tested_with", "documents", "owned_by", "overrides"}
# Kinds whose name leaves open which end the text stands in: they count for the pair read either way.
EITHER_WAY = {"decorates", "type_hint_of"}
CONSTRUCTORS = {"__init__", "__new__", "constructor"}
LOCAL_SIGNATURE = re.compile(r"^(?:\((?:local )?\w+\)|function|class|interface|type|enum|var|def) ([\w$]+)", re.M)

Symbol = collections.namedtuple("Symbol", "id entity file name kind start end")
Definition = collections.namedtuple("Definition", "symbol name role line start end")
Document = collections.namedtuple("Document", "path definitions references")


def main():
    """Reads both sides, compares them and prints the report."""
    options = parse_arguments()
    documents = [read_document(data) for number, data in fields(read_bytes(options.scip)) if number == 2]
    ours = Ours(map(json.loads, lines_of(options, options.symbols, ["export", "symbols"])), options.prefix)
    truth = Truth(documents, ours)
    edges = read_edges(map(json.loads, lines_of(options, options.edges, ["export", "edges"])), ours, options.prefix, set(options.aside.split(",")))
    report(options, ours, truth, edges)


def parse_arguments():
    """Returns the command line's options, checked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scip", required=True, help="the SCIP index")
    parser.add_argument("--symbols", help="output of `contextd export symbols`")
    parser.add_argument("--edges", help="output of `contextd export edges`")
    parser.add_argument("--bin", help="the contextd binary; it makes what --symbols and --edges do not give")
    parser.add_argument("--repo", help="the folder that contextd has indexed; only with --bin")
    parser.add_argument("--prefix", default="", help="put before contextd's paths, where it indexed a part of the repository")
    parser.add_argument("--confidence", type=float, default=0.9, help="edges from here on count for precision (default 0.9)")
    parser.add_argument("--aside", default=",".join(sorted(STRUCTURAL)),
                        help="edge kinds that do not count (default %(default)s)")
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="print N pairs that contextd lacks")
    parser.add_argument("--wrong", type=int, default=0, metavar="N", help="print N pairs that SCIP lacks")
    options = parser.parse_args()
    if not (options.bin and options.repo) and not (options.symbols and options.edges):
        parser.error("--symbols and --edges are needed, or --bin and --repo")
    return options


# The SCIP side: the few protobuf messages that matter, decoded by hand.

def read_bytes(path):
    """Returns a file's bytes."""
    with open(path, "rb") as stream:
        return stream.read()


def varint(data, at):
    """Returns the number that starts at a place, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data):
    """Yields (field number, value) of a protobuf message: an int, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if wire == 2 else ({1: 8, 5: 4}[wire], at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def span(data):
    """Returns a SCIP range as (line, column), (line, column), lines from 1 on."""
    numbers, at = [], 0
    while at < len(data):
        number, at = varint(data, at)
        numbers.append(number)
    if len(numbers) == 3:
        numbers.insert(2, numbers[0])
    return (numbers[0] + 1, numbers[1]), (numbers[2] + 1, numbers[3])


def read_document(data):
    """Returns one file's definitions and references; a local symbol's name is made unique with the file's path."""
    path, occurrences, names = "", [], {}
    for number, value in fields(data):
        if number == 1:
            path = value.decode()
        elif number == 2:
            occurrences.append(read_occurrence(value))
        elif number == 3:
            symbol, name = read_local_name(value)
            names[symbol] = name
    definitions, references = [], []
    for symbol, roles, place, enclosing in occurrences:
        local = symbol.startswith("local ")
        known_as = f"{path} {symbol}" if local else symbol
        if roles & 1:
            name = names.get(symbol, "") if local else last_name(symbol)
            start, end = enclosing or (None, None)
            definitions.append(Definition(known_as, name, role(symbol, enclosing), place[0][0], start, end))
        elif symbol:
            references.append((known_as, place))
    return Document(path, definitions, references)


def read_occurrence(data):
    """Returns (symbol, roles, range, enclosing range or None) of one occurrence."""
    symbol, roles, place, enclosing = "", 0, None, None
    for number, value in fields(data):
        if number == 1:
            place = span(value)
        elif number == 2:
            symbol = value.decode()
        elif number == 3:
            roles = value
        elif number == 7:
            enclosing = span(value)
    return symbol, roles, place, enclosing


def read_local_name(data):
    """Returns (symbol, name) of a local function, method or class, taken from its signature's text."""
    symbol = name = ""
    for number, value in fields(data):
        if number == 1:
            symbol = value.decode()
        elif number == 3 and not name:
            found = LOCAL_SIGNATURE.search(value.decode())
            name = found.group(1) if found else ""
    return symbol, name


def role(symbol, enclosing):
    """Returns what a SCIP symbol's last descriptor says it is: function, type, local, aside or other."""
    if symbol.startswith("local "):
        return "local"
    if symbol.endswith((")", "]", "/", ":")):
        return "aside"
    if symbol.endswith(")."):
        return "function"
    if symbol.endswith("#"):
        return "type"
    return "function" if enclosing else "other"


def last_name(symbol):
    """Returns the name in a symbol's last descriptor, without backticks and the marks of accessors and constructors."""
    body = re.sub(r"(\([^()]*\)\.|[#.:/!])$", "", symbol)
    found = re.search(r"`((?:[^`]|``)*)`$|([\w$+-]+)$", body)
    name = (found.group(1) or found.group(2) or "") if found else ""
    return re.sub(r"^<(?:get|set)>", "", name).strip("<>")


def target_key(symbol):
    """Returns what a reference to a symbol counts as: merged declarations are one, a class and its constructor too."""
    key = re.sub(r"(\([^()]*\)\.|[#.])$", "", symbol)
    owner = re.sub(r"#`?<?(\w+)>?`?$", lambda found: "" if found.group(1) in CONSTRUCTORS else found.group(0), key)
    return re.sub(r"`<(?:constructor|get|set)>(\w*)`$", r"\1", owner)


class Ours:
    """Contextd's symbols, by id and by file. Symbols of one file and qualified name are one entity."""

    def __init__(self, rows, prefix):
        self.by_id, self.by_file = {}, collections.defaultdict(list)
        for row in rows:
            path = prefix + row["file"]
            kind = row["kind"].lower().replace("-", "_")
            symbol = Symbol(row["symbolId"], (path, row.get("qualifiedName") or row["symbolId"]), path, row["name"], kind,
                            row["startLine"], row["endLine"])
            self.by_id[symbol.id] = symbol
            self.by_file[path].append(symbol)

    def at(self, path, definition):
        """Returns the symbol that a SCIP definition is, or None: same name, near its start or inside its range."""
        best, best_key = None, None
        for symbol in self.by_file.get(path, ()):
            distance = abs(symbol.start - definition.line)
            near = distance <= 1
            if symbol.name.strip("`") != definition.name or not (near or symbol.start <= definition.line <= symbol.end):
                continue
            key = (not near, not fits(symbol, definition.role), distance)
            if best is None or key < best_key:
                best, best_key = symbol, key
        return best

    def function_around(self, path, line):
        """Returns the innermost function or method whose lines hold a line, or None."""
        around = [symbol for symbol in self.by_file.get(path, ())
                  if symbol.kind in FUNCTIONS and symbol.start <= line <= symbol.end]
        return min(around, key=lambda symbol: symbol.end - symbol.start, default=None)


def fits(symbol, wanted):
    """Tells whether a contextd kind is of a SCIP role."""
    return symbol.kind in {"function": FUNCTIONS, "type": TYPES}.get(wanted, FUNCTIONS | TYPES)


class Truth:
    """SCIP's pairs, their ends told in contextd's entities where contextd has them."""

    def __init__(self, documents, ours):
        self.files = {document.path for document in documents}
        self.keys = collections.defaultdict(set)      # entity -> target keys that SCIP has for it
        self.entities = collections.defaultdict(set)  # target key -> entities
        self.symbols = collections.defaultdict(set)   # entity -> SCIP symbols as they stand
        self.targets = set()                          # target keys that count for recall
        self.functions = collections.defaultdict(list)  # path -> (start, end, entity), functions known to both
        self.unknown = collections.defaultdict(list)  # path -> (start, end, symbol), functions that contextd lacks
        self.pairs = {}                               # (entity, target key) -> (path, line), all that SCIP refers to
        self.wanted = {}                              # those that count for recall
        self.exact = set()                            # (entity, SCIP symbol)
        self.names = collections.defaultdict(set)     # (path, line) -> names that SCIP resolves there
        self.sources = {}                             # symbol id -> the source it counts as
        self.defined = collections.Counter()
        for document in documents:
            self.add_definitions(document, ours)
        for document in documents:
            self.add_references(document, ours)

    def add_definitions(self, document, ours):
        """Takes up a file's definitions."""
        for definition in document.definitions:
            if definition.role == "aside" or not definition.name:
                continue
            counts = definition.role in ("function", "type") and not re.search("`[\"']", definition.symbol)
            symbol, key = ours.at(document.path, definition), target_key(definition.symbol)
            if counts:
                self.targets.add(key)
                self.defined["all"] += 1
                self.defined["known"] += symbol is not None
            if symbol:
                self.keys[symbol.entity].add(key)
                self.entities[key].add(symbol.entity)
                self.symbols[symbol.entity].add(definition.symbol)
            if definition.role == "function" and definition.start:
                known = symbol is not None and symbol.kind not in TYPES
                place = (min(definition.start, (definition.line, 0)), definition.end)
                functions, source = (self.functions, symbol.entity) if known else (self.unknown, definition.symbol)
                functions[document.path].append((*place, source))

    def add_references(self, document, ours):
        """Takes up a file's references from inside functions."""
        outside = {(place, last_name(symbol)) for symbol, place in document.references if not self.is_defined(symbol)}
        for symbol, place in document.references:
            key, start = target_key(symbol), place[0]
            self.names[document.path, start[0]] |= {last_name(symbol), last_name(key)}
            if not self.is_defined(symbol):
                continue
            source = self.source_around(document.path, start, ours)
            if source is None or source == symbol or symbol in self.symbols.get(source, ()):
                continue
            self.pairs.setdefault((source, key), (document.path, start[0]))
            self.exact.add((source, symbol))
            if key in self.targets and (place, last_name(symbol)) not in outside:
                self.wanted.setdefault((source, key), (document.path, start[0]))

    def is_defined(self, symbol):
        """Tells whether the repository defines what a reference names."""
        key = target_key(symbol)
        return key in self.targets or key in self.entities

    def source_around(self, path, place, ours):
        """Returns the source of a reference: an entity, or a function that only SCIP knows, or None outside functions."""
        known = innermost(self.functions[path], place, place)
        if known:
            return known
        symbol = ours.function_around(path, place[0])
        return symbol.entity if symbol else innermost(self.unknown[path], place, place)

    def source_of(self, symbol):
        """Returns the source that an edge's first end counts as: itself, or the function around it that SCIP knows."""
        if symbol.id not in self.sources:
            functions = self.functions[symbol.file]
            known = any(entity == symbol.entity for _, _, entity in functions)
            around = None if known else innermost(functions, (symbol.start, 0), (symbol.end, 0))
            self.sources[symbol.id] = around or symbol.entity
        return self.sources[symbol.id]


def innermost(places, start, end):
    """Returns what stands at the smallest place around a range, or None."""
    around = [place for place in places if place[0] <= start and end <= place[1]]
    return min(around, key=lambda place: (place[1][0] - place[0][0], place[1][1]))[2] if around else None


# The comparison.

Edge = collections.namedtuple("Edge", "source target kind confidence file line")


def read_edges(rows, ours, prefix, aside):
    """Returns contextd's edges between symbols, without the kinds set aside and without loops."""
    edges = []
    for row in rows:
        source, target = ours.by_id.get(row["from"]), ours.by_id.get(row["to"])
        if source and target and source.entity != target.entity and row["kind"] not in aside:
            edges.append(Edge(source, target, row["kind"], row["confidence"], prefix + (row.get("file") or ""), row.get("line")))
    return edges


def pairs_of(edge, truth):
    """Returns the pairs that an edge stands for, in SCIP's terms."""
    ways = [(edge.source, edge.target)]
    if edge.kind in EITHER_WAY:
        ways.append((edge.target, edge.source))
    return {(truth.source_of(source), key) for source, target in ways for key in truth.keys.get(target.entity, ())}


def judge(edges, truth, confidence):
    """Returns {(source, target entity): (verdict, edge)} of the edges that precision is about; the best verdict stands."""
    order = ["right", "merged", "unjudged", "other target", "silent"]
    verdicts = {}
    for edge in edges:
        source = truth.source_of(edge.source)
        counts = edge.source.kind in FUNCTIONS and edge.target.kind in FUNCTIONS | TYPES and edge.source.file in truth.files
        if edge.confidence < confidence or not counts or source == edge.target.entity:
            continue
        pair, verdict = (source, edge.target.entity), verdict_on(edge, source, truth)
        if pair not in verdicts or order.index(verdict) < order.index(verdicts[pair][0]):
            verdicts[pair] = verdict, edge
    return verdicts


def verdict_on(edge, source, truth):
    """Returns right, merged (right by a constructor or a merged declaration), unjudged, other target or silent."""
    if any(pair in truth.pairs for pair in pairs_of(edge, truth)):
        plain = any((source, symbol) in truth.exact for symbol in truth.symbols[edge.target.entity])
        return "right" if plain or edge.kind in EITHER_WAY else "merged"
    if edge.target.entity not in truth.keys:
        return "unjudged"
    return "other target" if edge.target.name in truth.names.get((edge.file, edge.line), ()) else "silent"


def report(options, ours, truth, edges):
    """Prints what was compared, precision, recall and the samples asked for."""
    defined = truth.defined
    print(f"SCIP: {len(truth.files)} files, {defined['all']} definitions of functions and types, "
          f"{defined['known']} of them known to contextd ({share(defined['known'], defined['all']):.4f})")
    print(f"contextd: {len(ours.by_id)} symbols, {len(edges)} edges that count")
    report_precision(options, judge(edges, truth, options.confidence))
    report_recall(options, truth, edges)


def report_precision(options, verdicts):
    """Prints precision, by edge kind too, and a sample of what SCIP does not have."""
    total, per_kind = collections.Counter(), collections.defaultdict(collections.Counter)
    for verdict, edge in verdicts.values():
        total[verdict] += 1
        per_kind[edge.kind][verdict] += 1
    right, wrong = total["right"] + total["merged"], total["other target"] + total["silent"]
    judged = right + wrong
    print(f"\nprecision {share(right, judged):.4f}: {right} of {judged} pairs with confidence >= {options.confidence}")
    print(f"  right by class = constructor or a merged declaration: {total['merged']}")
    print(f"  wrong: {total['other target']} where SCIP gives that name another target, "
          f"{total['silent']} where it has no such name on the line")
    print(f"  not judged, target unknown to SCIP: {total['unjudged']} "
          f"(precision {share(right, judged + total['unjudged']):.4f} if all were wrong)")
    for kind, counts in sorted(per_kind.items()):
        good, bad = counts["right"] + counts["merged"], counts["other target"] + counts["silent"]
        print(f"  {kind:20} {good:7} of {good + bad:7}  {share(good, good + bad):.4f}")
    bad = sorted((edge.file, edge.line or 0, verdict, edge) for verdict, edge in verdicts.values()
                 if verdict in ("other target", "silent"))
    for file, line, verdict, edge in sample(bad, options.wrong):
        print(f"  wrong {file}:{line} {edge.source.entity[1]} -> {edge.target.file}:{edge.target.start} {edge.target.entity[1]} "
              f"({edge.kind} {edge.confidence}; {verdict})")


def report_recall(options, truth, edges):
    """Prints recall, why pairs were missed, and a sample of them."""
    wanted, had, known = truth.wanted, set(), set()
    for edge in edges:
        pairs = pairs_of(edge, truth)
        had |= pairs
        known |= pairs if edge.confidence >= options.confidence else set()
    hits = sum(pair in had for pair in wanted)
    print(f"\nrecall {share(hits, len(wanted)):.4f}: {hits} of {len(wanted)} pairs; "
          f"with confidence >= {options.confidence} alone {share(sum(pair in known for pair in wanted), len(wanted)):.4f}")
    missed = sorted((*place, reason(pair, truth), pair) for pair, place in wanted.items() if pair not in had)
    for why, count in sorted(collections.Counter(miss[2] for miss in missed).items()):
        print(f"  missed, {why}: {count}")
    for file, line, why, (source, key) in sample(missed, options.misses):
        print(f"  missed {file}:{line} {source[1] if isinstance(source, tuple) else source} -> {target_text(key, truth)} ({why})")


def reason(pair, truth):
    """Returns why contextd cannot have a pair, or that it just lacks the edge."""
    if not isinstance(pair[0], tuple):
        return "source unknown to contextd"
    return "no edge" if truth.entities.get(pair[1]) else "target unknown to contextd"


def target_text(key, truth):
    """Returns a target as a reader finds it: contextd's file and name, or SCIP's own name."""
    entities = sorted(truth.entities.get(key, ()))
    return " or ".join(f"{file} {name}" for file, name in entities) if entities else key


def sample(rows, count):
    """Returns up to count rows, evenly spread."""
    return rows if len(rows) <= count else [rows[number * len(rows) // count] for number in range(count)]


if __name__ == "__main__":
    run(main)
