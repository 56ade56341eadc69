export type { Area, DataRun } from './area.ts';
export { fileExtents, linesMax, type RunXfsIo } from './file-extents.ts';
export { type FileExtent, type FileMap, parseFiemap } from './parse-fiemap.ts';
export { unsharedAreas } from './unshared-areas.ts';
