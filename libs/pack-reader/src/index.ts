export type { PackBytes } from './fetch-range.ts';
export { type PackReaderOptions, packReader, readLimits } from './open-pack-reader.ts';
export type { FetchedSlices, PackReader, PackReaderFigures, PackSlice } from './pack-reader.ts';
export { nextRange, type PlannedRange, planRanges, type RangeLimits } from './plan-ranges.ts';
export type { ReadRequest } from './read-request.ts';
