import { durationText } from '@lateen/kernel';

/** A measured time as Go prints it, to a tenth of a second: `4.1s`, `2m5.3s`. */
export const secondsText = (ms: number): string => durationText(Math.round(ms / 100) * 100);
