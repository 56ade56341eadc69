import type { Logger, LogLevel } from '@lateen/kernel';
import type { LeveledLogger } from '@lateen/logging';
import type { RoomContext } from '@lateen/volume-controllers';

/** Longhorn's levels as ours; Info, the setting's default, means the level of the flag. */
const levels: Readonly<Record<string, LogLevel>> = {
  Panic: 'error',
  Fatal: 'error',
  Error: 'error',
  Warn: 'warn',
  Debug: 'debug',
  Trace: 'debug',
};

export interface LogLevelPorts {
  readonly log: Logger;
  readonly setLevel: LeveledLogger['setLevel'];
  /** The level of the flag `--log-level`. */
  readonly flag: LogLevel;
}

/** Sets this process's log level to the setting `log-level`, after each of its changes. */
export function followLogLevel(
  { caches, settings }: Pick<RoomContext, 'caches' | 'settings'>,
  { log, setLevel, flag }: LogLevelPorts,
): void {
  let now = flag;
  caches.settings.onChange(() => {
    const level = levels[settings().text('log-level')] ?? flag;
    if (level === now) return;
    now = level;
    setLevel(level);
    log.warn({ level }, 'the log level is another one now (setting log-level)');
  });
}
