import { hostError } from '@lateen/block-engine';
import type { AppError } from '@lateen/errors';
import type { FrontendRequest } from './block-frontend.ts';
import { isVolumeName } from './frontend-deps.ts';
import { frontendLimits } from './frontend-limits.ts';

export const notNow = (
  volume: string,
  reason: string,
  options: { cause?: unknown; nextStep?: string; details?: Readonly<Record<string, unknown>> } = {},
): AppError => hostError('NOT_POSSIBLE_NOW', `the front end of volume ${volume}: ${reason}`, options);

export const reattachNeeded = (volume: string, reason: string): AppError =>
  hostError('NOT_POSSIBLE_NOW', `volume ${volume} cannot grow while it is attached: ${reason}`, {
    nextStep: 'Scale the pods that use it down and up again: it has its new size when it is next attached.',
  });

/** @throws `INVALID_ARGUMENT` */
export function checkVolumeName(volume: string): void {
  if (!isVolumeName(volume)) throw hostError('INVALID_ARGUMENT', `"${volume}" is not the name of a volume`);
}

/** @throws `INVALID_ARGUMENT` */
export function checkRequest({ volume, socketPath, sizeBytes, reserveBytes }: FrontendRequest): void {
  checkVolumeName(volume);
  if (!socketPath.startsWith('/')) throw hostError('INVALID_ARGUMENT', 'the path of a socket is absolute');
  checkSize(sizeBytes);
  if (reserveBytes !== 0) checkSize(reserveBytes);
}

/** @throws `INVALID_ARGUMENT` */
export function checkSize(bytes: number): void {
  if (Number.isSafeInteger(bytes) && bytes > 0 && bytes % frontendLimits.sectorBytes === 0) return;
  throw hostError('INVALID_ARGUMENT', `a device cannot be ${bytes} bytes long: it has whole sectors`);
}
