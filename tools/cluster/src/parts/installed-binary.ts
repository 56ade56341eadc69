import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { run } from '../host/run.ts';
import type { Part } from './part-table.ts';

const versionTimeoutMs = 10_000;

/**
 * A binary that is already on the machine (in the folder of `KUBEBUILDER_ASSETS`, or on PATH) and reports exactly the pinned version.
 * Undefined for a part without a version command. A binary that fails to answer is ignored: then the part is built, which is slower but
 * correct.
 */
export async function findInstalled(
  part: Part,
  env: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (part.version === undefined) return undefined;
  const folders = [env.KUBEBUILDER_ASSETS, ...(env.PATH ?? '').split(delimiter)];
  for (const folder of new Set(folders)) {
    if (!folder) continue;
    const candidate = join(folder, part.name);
    if ((await isExecutable(candidate)) && (await answers(candidate, part.version, signal))) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function answers(
  path: string,
  version: { argv: readonly string[]; prints: string },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const result = await run(path, version.argv, { timeoutMs: versionTimeoutMs, signal });
    return says(result.stdout, version.prints);
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}

/** True if the text contains the version, and not only a longer one with the same start (1.34.4 and 1.34.40). */
function says(text: string, version: string): boolean {
  const at = text.indexOf(version);
  return at >= 0 && !/[\w.]/.test(text.charAt(at + version.length));
}
