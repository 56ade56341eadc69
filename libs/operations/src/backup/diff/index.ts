export type { BringArchive } from './bring-archive.ts';
export { changeLines, pathText } from './change-lines.ts';
export { type ChangedItem, type ChangesOptions, changesOf } from './changes-of.ts';
export { type ChangingField, changingFields } from './comparable-object.ts';
export { type ArchiveComparison, type ComparedItem, compareArchives, type DiffOptions } from './compare-archives.ts';
export type { FieldChange } from './field-change.ts';
export type { DiffLine } from './line-diff.ts';
