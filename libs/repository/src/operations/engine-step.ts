import { mustRun } from '../engine/must-run.ts';
import { JsonObjects } from './json-objects.ts';
import type { RepositorySession } from './repository-session.ts';

/**
 * Runs an engine whose answer is JSON of any length; each object of the given depth is passed on when it arrives. @throws
 * ENGINE_BAD_ANSWER, as mustRun
 */
export async function mustList(
  session: RepositorySession,
  doing: string,
  args: readonly string[],
  options: {
    depth: number;
    onObject: (object: Record<string, unknown>, document: number) => void;
    signal: AbortSignal;
  },
): Promise<void> {
  const objects = new JsonObjects(options.depth, options.onObject);
  await mustRun(session, doing, args, { onStdout: (chunk) => objects.push(chunk), signal: options.signal });
  objects.end();
}
