import type { Logger, LogLevel } from '@lateen/kernel';
import type { LeveledLogger } from '@lateen/logging';
import type { RoomContext } from '@lateen/volume-controllers';

/** Levels of Longhorn as ours; Info, which is the default of the setting, leaves it to the flag. */
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
  /** Of the flag `--log-level`. */
  readonly flag: LogLevel;
}

/** Has this process log at the level of the setting `log-level`, from each of its changes on. */
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
