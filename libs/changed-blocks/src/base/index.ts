export { baseNotes, type KeptBase, type NotedBase, readBase } from './base-notes.ts';
export { type BasesSeen, baseMaxAgeMs, type SpentBase, spentBases } from './decide-bases.ts';
