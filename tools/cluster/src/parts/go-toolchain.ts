import { AppError, isAppError } from '@lateen/errors';
import { run } from '../host/run.ts';

/** Go builds run for minutes; an hour means that something hangs. */
const buildTimeoutMs = 3_600_000;

/**
 * The environment of every Go command here. `GOTOOLCHAIN=local`: only what the part pins is downloaded. `GOFLAGS` and `GOWORK` of the
 * caller must not change what is built.
 */
export const goEnvironment = {
  CGO_ENABLED: '0',
  GOFLAGS: '-mod=readonly',
  GOTOOLCHAIN: 'local',
  GOWORK: 'off',
} as const;

/** Runs `go` in a part's folder. @throws GO_MISSING, COMMAND_FAILED */
export async function go(
  args: readonly string[],
  cwd: string,
  options: { signal?: AbortSignal | undefined; onLine?: (line: string) => void } = {},
): Promise<string> {
  try {
    const result = await run('go', args, { cwd, env: goEnvironment, timeoutMs: buildTimeoutMs, ...options });
    return result.stdout;
  } catch (error) {
    if (!isAppError(error, 'COMMAND_MISSING')) throw error;
    throw new AppError('GO_MISSING', 'Go is not installed, or `go` is not on PATH', {
      cause: error,
      nextStep: 'Install Go (https://go.dev/dl) and run the command again.',
    });
  }
}

/** Checks that the Go on PATH can build a module whose go.mod requires `needed`. @throws GO_TOO_OLD, GO_MISSING */
export async function requireGo(needed: string, cwd: string, signal?: AbortSignal): Promise<void> {
  const installed = (await go(['env', 'GOVERSION'], cwd, { signal })).trim();
  if (isOlder(installed, needed))
    throw new AppError('GO_TOO_OLD', `${installed || 'the installed Go'} is too old: Go ${needed} or later is needed`, {
      nextStep: 'Install a newer Go (https://go.dev/dl) and run the command again.',
    });
}

/** The `go` directive of a go.mod. */
export function goDirective(goMod: string): string {
  return /^go\s+(\d+(?:\.\d+)*)/m.exec(goMod)?.[1] ?? '1.0';
}

/** True if `go1.24.3` (or `1.24.3`) is older than `needed`. A development version counts as new. */
export function isOlder(installed: string, needed: string): boolean {
  const have = /(\d+(?:\.\d+)*)/.exec(installed)?.[1];
  if (have === undefined || installed.startsWith('devel')) return false;
  const left = have.split('.').map(Number);
  const right = needed.split('.').map(Number);
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
