// Stands between the program and the parser's library, and between that and the external scanners of the grammars: native
// code that reads strangers' files.
//
// A scanner keeps a state between tokens. The library gives it 1,024 bytes for that and aborts the program when the
// scanner says that it used more; some scanners do, and write behind the buffer. Other scanners write a state that they
// cannot read back, and abort then. Some look for the end of a line and go on for ever where there is none. Here a
// scanner writes into a larger room, what it wrote is looked at before the library sees it, and its steps are counted.
// A scanner that breaks a rule is not asked again, and the parse of that text is given up.
//
// The library itself copies its stack as often as a broken text makes it, and takes that stack apart by recursion. It asks
// for memory for either, so that is where a parse is left that takes too much. All that the library made lies in an arena
// that is emptied afterwards, see arena.rs.

// For the jumps that leave the signal mask alone.
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tree_sitter/api.h"
#include "parser.h"

#ifndef TREE_SITTER_SERIALIZATION_BUFFER_SIZE
#define TREE_SITTER_SERIALIZATION_BUFFER_SIZE 1024
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL _Thread_local
#endif

// The plain functions keep the signal mask on some systems, which is a call of the system for each token.
#if defined(__unix__) || defined(__APPLE__)
#define SET_JUMP _setjmp
#define JUMP _longjmp
#else
#define SET_JUMP setjmp
#define JUMP longjmp
#endif

// Room for a state. All scanners stop within a few bytes of the 1,024 that they should keep to.
#define ROOM (4 * TREE_SITTER_SERIALIZATION_BUFFER_SIZE)

// Open elements of HTML that a state may count without naming them.
#define HTML_UNNAMED 1024

typedef bool (*Look)(char *state, unsigned length);

typedef struct {
  const TSLanguage *upstream;
  Look look;
  // What the library gets instead.
  TSLanguage language;
} Guarded;

// One scanner at work.
typedef struct {
  const Guarded *guarded;
  void *payload;
  // It was left in the middle of something and must not be touched again.
  bool broken;
} Guard;

// The parse that this thread is at.
static THREAD_LOCAL struct {
  uint64_t scanner_steps;
  // A scanner broke a rule.
  bool tripped;
  // While a scanner works: what it is left by, and the lexer's own function.
  jmp_buf scanner_out;
  void (*advance)(TSLexer *, bool);
  // While the library works: what it is left by when it gets no more memory, and its scanner.
  bool is_parsing;
  jmp_buf parser_out;
  Guard *guard;
} run;

static void counted_advance(TSLexer *lexer, bool skip) {
  // Every frame between here and `scan` is the scanner's.
  if (run.scanner_steps == 0) JUMP(run.scanner_out, 1);
  run.scanner_steps--;
  run.advance(lexer, skip);
}

static bool scan(void *payload, TSLexer *lexer, const bool *valid) {
  Guard *guard = payload;
  if (run.tripped || guard->broken) return false;
  // Whoever parses without us is not counted.
  if (!run.is_parsing) return guard->guarded->upstream->external_scanner.scan(guard->payload, lexer, valid);
  run.advance = lexer->advance;
  lexer->advance = counted_advance;
  volatile bool found = false;
  if (SET_JUMP(run.scanner_out) == 0) {
    found = guard->guarded->upstream->external_scanner.scan(guard->payload, lexer, valid);
  } else {
    guard->broken = true;
    run.tripped = true;
  }
  lexer->advance = run.advance;
  return found;
}

static unsigned serialize(void *payload, char *buffer) {
  Guard *guard = payload;
  if (run.tripped || guard->broken) return 0;
  // Scanners write numbers of several bytes into it as they are.
  union {
    char bytes[ROOM];
    uint64_t aligned;
  } state;
  unsigned length = guard->guarded->upstream->external_scanner.serialize(guard->payload, state.bytes);
  if (length > TREE_SITTER_SERIALIZATION_BUFFER_SIZE || (guard->guarded->look && !guard->guarded->look(state.bytes, length))) {
    run.tripped = true;
    return 0;
  }
  memcpy(buffer, state.bytes, length);
  return length;
}

static void deserialize(void *payload, const char *buffer, unsigned length) {
  Guard *guard = payload;
  if (run.tripped || guard->broken) return;
  guard->guarded->upstream->external_scanner.deserialize(guard->payload, buffer, length);
}

static void *create(const Guarded *guarded) {
  Guard *guard = calloc(1, sizeof *guard);
  if (!guard) abort();
  guard->guarded = guarded;
  guard->payload = guarded->upstream->external_scanner.create();
  run.guard = guard;
  if (!run.is_parsing) run.tripped = false;
  return guard;
}

static void destroy(void *payload) {
  Guard *guard = payload;
  if (run.guard == guard) run.guard = NULL;
  // What a broken scanner holds is lost: it may be half freed.
  if (!guard->broken) guard->guarded->upstream->external_scanner.destroy(guard->payload);
  free(guard);
}

// A scanner is made without being told of which grammar: each has a function of its own for that.
#define SLOTS 64
static Guarded slots[SLOTS];

#define CREATE(n) static void *create_##n(void) { return create(&slots[n]); }
#define EIGHT(what, n) what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7)
#define ALL(what) EIGHT(what, 0) EIGHT(what, 01) EIGHT(what, 02) EIGHT(what, 03) EIGHT(what, 04) EIGHT(what, 05) EIGHT(what, 06) EIGHT(what, 07)
ALL(CREATE)

#define NAME(n) create_##n,
static void *(*const creators[SLOTS])(void) = {ALL(NAME)};

// Ruby keeps the length of a word in one byte, whatever it is, and aborts when it reads back something else.
static bool ruby_reads_back(char *state, unsigned length) {
  if (length == 0) return true;
  unsigned at = 1 + 5 * (unsigned)(uint8_t)state[0];
  if (at >= length) return false;
  unsigned words = (uint8_t)state[at++];
  for (unsigned word = 0; word < words; word++) {
    if (at + 4 > length) return false;
    at += 4 + (unsigned)(uint8_t)state[at + 3];
  }
  return at == length;
}

// HTML counts open elements that its state has no room for, up to 65,535, and makes them all for every token.
static bool html_counts_few(char *state, unsigned length) {
  uint16_t named, all;
  if (length < sizeof named + sizeof all) return true;
  memcpy(&named, state, sizeof named);
  memcpy(&all, state + sizeof named, sizeof all);
  if (all > named && all - named > HTML_UNNAMED) {
    all = (uint16_t)(named + HTML_UNNAMED);
    memcpy(state + sizeof named, &all, sizeof all);
  }
  return true;
}

static Look look_of(const char *name) {
  if (strcmp(name, "ruby") == 0) return ruby_reads_back;
  if (strcmp(name, "html") == 0) return html_counts_few;
  return NULL;
}

// Returns a language that is `upstream` with a guarded scanner, for a slot and a name of our table. It lives as long as the
// program, and a slot is asked for once.
const TSLanguage *contextd_guarded(const TSLanguage *upstream, unsigned slot, const char *name) {
  if (slot >= SLOTS) return NULL;
  // Without a scanner there is nothing to guard.
  if (!upstream->external_scanner.states || !upstream->external_scanner.create) return upstream;
  Guarded *guarded = &slots[slot];
  guarded->upstream = upstream;
  guarded->look = look_of(name);
  // Older grammars end where the newer parts begin.
  size_t size = upstream->abi_version >= 15 ? sizeof(TSLanguage) : offsetof(TSLanguage, name);
  memcpy(&guarded->language, upstream, size);
  guarded->language.external_scanner.create = creators[slot];
  guarded->language.external_scanner.destroy = destroy;
  guarded->language.external_scanner.scan = scan;
  guarded->language.external_scanner.serialize = serialize;
  guarded->language.external_scanner.deserialize = deserialize;
  return &guarded->language;
}

// The library's memory, see arena.rs. Null means that the parse asked for more than it may.
static void *(*arena_malloc)(size_t);
static void *(*arena_calloc)(size_t, size_t);
static void *(*arena_realloc)(void *, size_t);

void contextd_guard_memory(void *(*malloc_)(size_t), void *(*calloc_)(size_t, size_t), void *(*realloc_)(void *, size_t)) {
  arena_malloc = malloc_;
  arena_calloc = calloc_;
  arena_realloc = realloc_;
}

static void *given(void *piece) {
  if (piece) return piece;
  // Every frame between here and `contextd_parse` is the library's.
  if (run.is_parsing) JUMP(run.parser_out, 1);
  abort();
}

void *contextd_guard_malloc(size_t size) { return given(arena_malloc(size)); }
void *contextd_guard_calloc(size_t count, size_t size) { return given(arena_calloc(count, size)); }
void *contextd_guard_realloc(void *piece, size_t size) { return given(arena_realloc(piece, size)); }

typedef struct {
  const char *text;
  uint32_t length;
} Text;

static const char *read_text(void *payload, uint32_t at, TSPoint point, uint32_t *length) {
  (void)point;
  const Text *text = payload;
  uint32_t from = at < text->length ? at : text->length;
  *length = text->length - from;
  return text->text + from;
}

typedef struct {
  uint64_t done, most;
} Steps;

static bool is_enough(TSParseState *state) {
  Steps *steps = state->payload;
  steps->done++;
  return run.tripped || steps->done > steps->most;
}

// How a parse ended: with a tree, given up, or left in the middle of something, so that the parser must not be used again.
enum { PARSED, GIVEN_UP, LEFT };

// Parses a text. `done` is how many steps the parser has taken then, `most` how many it may, `scanner_steps` how many its
// scanner may.
int contextd_parse(TSParser *parser, const char *text, uint32_t length, uint64_t *done, uint64_t most, uint64_t scanner_steps, TSTree **tree) {
  // Not on the frame that is jumped into: what is changed there is lost.
  static THREAD_LOCAL Text source;
  static THREAD_LOCAL Steps steps;
  source = (Text) {text, length};
  steps = (Steps) {*done, most};
  run.scanner_steps = scanner_steps;
  run.tripped = false;
  *tree = NULL;
  int ended = GIVEN_UP;
  run.is_parsing = true;
  if (SET_JUMP(run.parser_out) == 0) {
    TSInput input = {.payload = &source, .read = read_text, .encoding = TSInputEncodingUTF8};
    TSParseOptions options = {.payload = &steps, .progress_callback = is_enough};
    *tree = ts_parser_parse_with_options(parser, NULL, input, options);
    // A short text may be through before anybody asks; what it led to is no reading.
    if (*tree && !run.tripped) {
      ended = PARSED;
    } else {
      if (*tree) ts_tree_delete(*tree);
      *tree = NULL;
      // Else the next text would go on where this one was left.
      ts_parser_reset(parser);
    }
  } else {
    // The library asks for memory only outside of its scanner, which can be taken down therefore.
    if (run.guard) destroy(run.guard);
    *tree = NULL;
    ended = LEFT;
  }
  run.guard = NULL;
  run.is_parsing = false;
  *done = steps.done;
  return ended;
}
