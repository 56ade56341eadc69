import { durationText } from '@lateen/kernel';

/** A duration in Go's format, to a tenth of a second: `4.1s`, `2m5.3s`. */
export const secondsText = (ms: number): string => durationText(Math.round(ms / 100) * 100);
