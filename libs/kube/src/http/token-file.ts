import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';

/** A file that kubelet replaces while we run: a token, a CA. */
export interface TokenFile {
  /** The content, at most `maxAgeMs` old. */
  current(): Promise<string>;
  /** After `refused` was turned away: true when there is another content by now; reads if it has to. */
  refresh(refused: string): Promise<boolean>;
}

/** Kubelet renews a token at 80 % of its life, at the latest; client-go re-reads it every minute as well. */
const maxAgeMsDefault = 60_000;

/**
 * Reads a rotating file at most every `maxAgeMs` and remembers it in between. Concurrent callers share one read.
 * @throws KUBE_CREDENTIALS_UNREADABLE naming the file
 */
export function tokenFile(deps: {
  path: string;
  readFile: (path: string) => Promise<string>;
  clock: Clock;
  maxAgeMs?: number;
}): TokenFile {
  const { path, clock, maxAgeMs = maxAgeMsDefault } = deps;
  let content: string | undefined;
  let readAtMs = 0;
  let reading: Promise<string> | undefined;

  const read = async () => {
    try {
      content = (await deps.readFile(path)).trim();
      readAtMs = clock.monotonicMs();
      return content;
    } catch (cause) {
      const nextStep = 'Check that the service account is mounted and that this user may read the file';
      throw new AppError('KUBE_CREDENTIALS_UNREADABLE', `cannot read ${path}`, { retry: 'soon', cause, nextStep });
    } finally {
      reading = undefined;
    }
  };
  const readOnce = () => (reading ??= read());

  return {
    current: async () => {
      if (content !== undefined && clock.monotonicMs() - readAtMs < maxAgeMs) return content;
      return readOnce();
    },
    // Of many calls refused together only the first has to read; the others find the new content there.
    refresh: async (refused) => (content !== undefined && content !== refused) || (await readOnce()) !== refused,
  };
}
