export type { EntryAttributes } from './entry-attributes.ts';
