import { tarGzWriter } from '@lateen/archive';
import { describeError, plainLine } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { Discovery, KubeApi, PodLogs } from '@lateen/kube';
import { type BundlePart, isGap } from './bundle-file.ts';
import { logParts } from './bundle-logs.ts';
import { nodeParts, objectParts } from './bundle-objects.ts';
import { Redactor } from './redactor.ts';

export interface SupportBundlePorts {
  /** Does not read Secrets, see `withoutSecretReads`. */
  kube: KubeApi & Pick<Discovery, 'resourceTypes'> & PodLogs;
  clock: Clock;
}

export interface SupportBundleOptions {
  /** The folder that contains all files of the bundle. */
  folder: string;
  /** The namespaces of Lateen and of the volume manager; a namespace without objects adds no file. */
  namespaces: readonly string[];
  /** Parts that are added after objects and logs, so that secret values found in those are redacted here too. */
  more(redactor: Redactor): AsyncIterable<BundlePart>;
  /** Called when a part is in the bundle. */
  onPart?(line: string): void;
  signal: AbortSignal;
}

export interface SupportBundle {
  /** The tar.gz; read once. */
  pieces: AsyncIterable<Uint8Array>;
  /** Resolves when the bundle is complete. Rejects when `pieces` fails, with the same error. */
  done: Promise<{ files: number; gaps: number }>;
  /** For a caller that cannot store `pieces`: `done` rejects with the reason. */
  abort(reason: unknown): void;
}

/**
 * Collects what support needs, one file after the other, into a tar.gz: objects, Events, logs, and what `more` adds. What cannot be read
 * is left out. The last file, `contents.txt`, lists all files and says what is missing and why. An abort ends `pieces` with its reason.
 */
export function supportBundle(ports: SupportBundlePorts, options: SupportBundleOptions): SupportBundle {
  const writer = tarGzWriter({ mtimeMs: ports.clock.now() });
  const redactor = new Redactor();
  const fill = async (): Promise<{ files: number; gaps: number }> => {
    const contents: string[] = [];
    let gaps = 0;
    for await (const part of partsOf(ports, options, redactor)) {
      // An error may quote the output of a store or a program.
      const line = redactor.text(
        isGap(part) ? `${part.path}: not collected: ${plainLine(describeError(part.error))}` : lineOf(part),
      );
      contents.push(line);
      options.onPart?.(line);
      if (isGap(part)) gaps++;
      else await writer.add(`${options.folder}/${part.path}`, part.text);
    }
    await writer.add(`${options.folder}/contents.txt`, `${contents.join('\n')}\n`);
    await writer.end();
    return { files: contents.length - gaps + 1, gaps };
  };
  const done = fill();
  done.catch((error: unknown) => writer.abort(error));
  return { pieces: writer.pieces, done, abort: (reason) => writer.abort(reason) };
}

const lineOf = ({ path, about, text }: { path: string; about: string; text: string }): string =>
  `${path}: ${about}, ${Buffer.byteLength(text)} bytes`;

async function* partsOf(
  { kube }: SupportBundlePorts,
  { namespaces, more, signal }: SupportBundleOptions,
  redactor: Redactor,
): AsyncGenerator<BundlePart> {
  yield* nodeParts({ kube, redactor, signal });
  for (const namespace of namespaces) yield* objectParts({ kube, redactor, namespace, signal });
  for (const namespace of namespaces) yield* logParts({ kube, redactor, namespace, signal });
  yield* more(redactor);
}
