import { spokenVersion } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { askServerStatus } from '@lateen/operations/server';
import type { BundlePart } from '@lateen/operations/support';
import type { CommandContext } from '../command-context.ts';

/** The timeout of `lateen version`. */
const serverAnswerMs = 5_000;

/**
 * `versions.json`: the versions of this program, of the server, and its plugins. When the server does not answer, the bundle
 * records that.
 */
export async function versionPart(kube: KubeApi, context: CommandContext, namespace: string): Promise<BundlePart> {
  const { clock, signal } = context;
  const client = { version: spokenVersion, gitCommit: await context.commit?.() };
  const server = await askServerStatus({ kube, clock }, namespace, { timeoutMs: serverAnswerMs, signal }).then(
    ({ status }) => ({ version: status?.serverVersion, plugins: status?.plugins }),
    (error: unknown) => {
      signal.throwIfAborted();
      return { error: describeError(error) };
    },
  );
  const text = `${JSON.stringify({ client, server }, null, 2)}\n`;
  return {
    path: 'versions.json',
    text,
    about: 'error' in server ? 'the server did not answer' : 'of client and server',
  };
}
