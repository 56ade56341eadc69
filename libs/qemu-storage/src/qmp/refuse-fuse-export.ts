import { AppError } from '@lateen/errors';

/** Deeper than any argument of a command. */
const depthMax = 16;

/**
 * Refuses arguments that would make an export through FUSE, wherever in them it stands: with two requests in flight that
 * export writes one request's bytes in the place of another, silently, in every release up to 10.0. A volume is exported by NBD, and
 * nbdfuse makes a file of that. @throws FUSE_EXPORT_REFUSED
 */
export function refuseFuseExport(command: string, value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > depthMax) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'type' && inner === 'fuse')
      throw new AppError('FUSE_EXPORT_REFUSED', `${command} was to export a device through FUSE, which corrupts data`, {
        nextStep: 'Export it by NBD and mount that with nbdfuse.',
      });
    refuseFuseExport(command, inner, depth + 1);
  }
}
