// Writes a syntax tree as a table: its visible nodes in the order of the source, each with where the next one behind it
// stands. The library's own cursor climbs through everything that is hidden for every step from sibling to sibling.
//
// The layout of the tree is the library's own, from the headers that it is built with.

#include <stdlib.h>
#include <string.h>
#include "tree.h"
#include "language.h"

// `Row` in tree.rs.
typedef struct {
  uint32_t start, end;
  uint32_t row, end_row;
  uint32_t next;
  uint32_t named_children;
  uint16_t kind;
  // The field that a cursor tells, and a further one by which the node can be found.
  uint16_t field, also;
  uint16_t flags;
} FlatNode;

_Static_assert(sizeof(FlatNode) == 32, "a row has no gaps");

// Flags of a node: it has a name of its own; its children have fields.
#define NAMED 1
#define HAS_FIELDS 2

#define HIDDEN UINT32_MAX

// A node whose children are being written.
typedef struct {
  const Subtree *child, *end;
  const TSSymbol *aliases;
  const TSFieldMapEntry *fields, *fields_end;
  uint32_t structural_index;
  // Its place in the table; HIDDEN for a node whose children stand for it.
  uint32_t at;
  // Of a hidden node: how many nodes were written when it began, the field of all that it holds, and those by which its
  // first is found.
  uint32_t begun;
  uint16_t field, first, further;
} Frame;

// What a child's place among its siblings says of it.
typedef struct {
  TSSymbol alias;
  uint16_t field, also;
} Place;

static inline Place place_of_next(Frame *frame) {
  Place place = {0};
  uint32_t index = frame->structural_index++;
  if (frame->aliases) place.alias = frame->aliases[index];
  for (const TSFieldMapEntry *entry = frame->fields; entry != frame->fields_end; entry++) {
    if (entry->child_index != index || entry->inherited) continue;
    if (!place.field) place.field = entry->field_id;
    else if (!place.also) place.also = entry->field_id;
  }
  if (!place.field) place.field = frame->field;
  return place;
}

// The first of what a hidden node holds is found by the hidden node's fields too.
static inline uint16_t further_field(const Frame *frame, uint32_t count, Place place) {
  if (place.also || frame->at != HIDDEN || frame->begun != count) return place.also;
  if (frame->first && frame->first != place.field) return frame->first;
  return frame->further != place.field ? frame->further : 0;
}

// Writes the table; returns how many nodes it has, 0 when they are not `capacity` or there is no memory.
uint32_t contextd_flatten(const TSTree *tree, FlatNode *out, uint32_t capacity) {
  const TSLanguage *language = tree->language;
  Frame few[128];
  Frame *stack = few;
  uint32_t depth = 0, room = sizeof few / sizeof *few;
  // How far the source has been read.
  uint32_t bytes = 0, row = 0;
  uint32_t count = 0;

  // The root is the one child of a hidden node that is not there.
  Subtree root = tree->root;
  Frame frame = {.child = &root, .end = &root + 1, .at = HIDDEN};

  for (;;) {
    if (frame.child == frame.end) {
      if (frame.at != HIDDEN) out[frame.at].next = count;
      if (depth == 0) break;
      frame = stack[--depth];
      continue;
    }
    Subtree subtree = *frame.child++;
    Place place = {0};

    // A leaf, as most are.
    if (subtree.data.is_inline) {
      SubtreeInlineData leaf = subtree.data;
      if (!leaf.extra) place = place_of_next(&frame);
      uint32_t start = bytes + leaf.padding_bytes;
      row += leaf.padding_rows;
      bytes = start + leaf.size_bytes;
      if (!place.alias && !leaf.visible) continue;
      if (count == capacity) goto failed;
      TSSymbol symbol = place.alias ? place.alias : leaf.symbol;
      bool named = place.alias ? language->symbol_metadata[place.alias].named : leaf.named;
      uint16_t also = further_field(&frame, count, place);
      FlatNode *node = &out[count++];
      *node = (FlatNode) {
        .start = start, .end = bytes, .row = row, .end_row = row, .next = count,
        .kind = language->public_symbol_map[symbol], .field = place.field, .also = also, .flags = named ? NAMED : 0,
      };
      continue;
    }

    const SubtreeHeapData *heap = subtree.ptr;
    if (!heap->extra) place = place_of_next(&frame);
    uint32_t start = bytes + heap->padding.bytes, start_row = row + heap->padding.extent.row;
    bool is_parent = heap->child_count > 0;
    uint32_t at = HIDDEN;
    uint16_t also = further_field(&frame, count, place);
    if (place.alias || heap->visible) {
      if (count == capacity) goto failed;
      TSSymbol symbol = place.alias ? place.alias : heap->symbol;
      bool named = place.alias ? language->symbol_metadata[place.alias].named : heap->named;
      at = count++;
      out[at] = (FlatNode) {
        .start = start, .end = start + heap->size.bytes, .row = start_row, .end_row = start_row + heap->size.extent.row, .next = count,
        .named_children = is_parent ? heap->named_child_count : 0,
        .kind = symbol == ts_builtin_sym_error ? symbol : language->public_symbol_map[symbol],
        .field = place.field, .also = also, .flags = named ? NAMED : 0,
      };
    }
    if (!is_parent || heap->visible_child_count == 0) {
      bytes = start + heap->size.bytes;
      row = start_row + heap->size.extent.row;
      continue;
    }

    // A node's first child begins where the node does, with the same padding.
    if (frame.child != frame.end || frame.at != HIDDEN) {
      if (depth == room) {
        Frame *more = malloc(2 * (size_t)room * sizeof *more);
        if (!more) goto failed;
        memcpy(more, stack, room * sizeof *more);
        if (stack != few) free(stack);
        stack = more;
        room *= 2;
      }
      stack[depth++] = frame;
    }
    frame.child = ts_subtree_children(subtree);
    frame.end = frame.child + heap->child_count;
    frame.aliases = ts_language_alias_sequence(language, heap->production_id);
    ts_language_field_map(language, heap->production_id, &frame.fields, &frame.fields_end);
    frame.structural_index = 0;
    frame.at = at;
    frame.begun = count;
    if (at == HIDDEN) {
      frame.field = frame.first = place.field;
      frame.further = also;
    } else {
      frame.field = 0;
      if (frame.fields != frame.fields_end) out[at].flags |= HAS_FIELDS;
    }
  }
  if (stack != few) free(stack);
  return count == capacity ? count : 0;

failed:
  if (stack != few) free(stack);
  return 0;
}
