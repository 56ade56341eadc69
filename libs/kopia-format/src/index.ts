export type { ContentLocation } from './content-location.ts';
