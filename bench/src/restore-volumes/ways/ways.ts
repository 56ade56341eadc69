import type { Way } from '../way.ts';
import { downloadAlone, writeAlone } from './ceilings.ts';
import { kopiaFromCopy, kopiaFromLoopback, kopiaFromStore } from './kopia-alone.ts';
import { moverFromPacks, moverInSmallPod, moverWithEngine } from './mover.ts';

/** In the order of measurement. */
export const ways: readonly Way[] = [
  writeAlone,
  downloadAlone,
  kopiaFromCopy,
  kopiaFromLoopback,
  kopiaFromStore,
  moverWithEngine,
  moverFromPacks,
  moverInSmallPod,
];
