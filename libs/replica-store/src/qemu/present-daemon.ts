import { AppError } from '@lateen/errors';
import type { QemuBlocksPorts, QemuDaemon } from './qemu-ports.ts';

/**
 * Undefined when no daemon runs: then no process has the files open. A daemon that may run but is not connected is an error: it can hold files
 * and serve exports, so no call may act beside it.
 * @throws AppError `DAEMON_UNREACHABLE`
 */
export function presentDaemon({ directory, daemon }: QemuBlocksPorts): QemuDaemon | undefined {
  const present = daemon();
  if (present === 'unreachable')
    throw new AppError('DAEMON_UNREACHABLE', `the storage daemon of ${directory} may run, and is not connected`, {
      retry: 'soon',
      nextStep: 'Nothing to do: it is connected again, or found to have ended.',
    });
  return present === 'none' ? undefined : present;
}

/** @throws AppError `DAEMON_GONE`, `DAEMON_UNREACHABLE` */
export function runningDaemon(ports: QemuBlocksPorts): QemuDaemon {
  const daemon = presentDaemon(ports);
  if (daemon === undefined)
    throw new AppError('DAEMON_GONE', `no storage daemon runs for ${ports.directory}`, { retry: 'soon' });
  return daemon;
}
