export type { FetchedSlices, PackReader, PackReaderFigures, PackSlice } from './pack-reader.ts';
