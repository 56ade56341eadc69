export { findObject, findObjects, objectNotFound, type Selection } from './find-objects.ts';
export { listOrNone } from './list-or-none.ts';
export { type Noun, pluralOf } from './noun.ts';
export { parseObjectName } from './object-name.ts';
export { type RequestedSelection, selectionToChange, selectionToShow } from './requested-selection.ts';
