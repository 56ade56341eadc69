import { ownerText } from '@lateen/repository';
import { inlineTag } from './inline-manifest.ts';

/**
 * The tag by which a snapshot and its attribute manifest know each other; its value is a random key. kopia keeps it under
 * `tag:` and this name.
 */
export const attributesTag = 'lateen-attributes';

/** The one file of a manifest's snapshot. */
export const manifestFileName = 'attributes.jsonl.gz';

/** Begins the source paths of manifests and of nothing else. */
export const sourcePrefix = 'lateen-attributes/';

/** Where the manifests of a volume are filed: by its namespace and its name, the third and the last part of its own source. */
export function attributesSource(mainSourcePath: string): string {
  const [, , namespace = '', ...rest] = mainSourcePath.split('/');
  return `${sourcePrefix}${namespace}/${rest.at(-1) ?? ''}`;
}

/** The argument that links a snapshot to a key. */
export const attributesTagArg = (key: string): string => `--tags=${attributesTag}:${key}`;

/** The argument that gives a snapshot its manifest as a tag. */
export const inlineTagArg = (value: string): string => `--tags=${inlineTag}:${value}`;

/** Arguments of `kopia snapshot create` for a manifest that comes on standard input. */
export function storeManifestArgs(mainSourcePath: string, key: string): string[] {
  return [
    'snapshot',
    'create',
    // Nothing is read there; kopia wants a name for the folder of the one file.
    '/lateen-attributes',
    `--stdin-file=${manifestFileName}`,
    `--override-source=${ownerText}:${attributesSource(mainSourcePath)}`,
    '--description=Lateen attribute manifest',
    '--pin=velero-pin',
    attributesTagArg(key),
    '--no-send-snapshot-report',
    '--json',
    '--no-progress',
  ];
}

/** A snapshot in kopia's list that carries the tag. */
export interface TaggedSnapshot {
  id: string;
  isManifest: boolean;
  key: string;
  /** Epoch ms. */
  startedAtMs: number;
  /** kopia's object ID of the root folder. */
  rootObject: string;
}

/** The key in the tags of a snapshot manifest of kopia; undefined for one without a manifest in a snapshot of its own. */
export const attributesKeyOf = (tags: unknown): string | undefined => tagOf(tags, attributesTag);

/** The manifest that is in the tags themselves; undefined for a snapshot that has none there. */
export const attributesInlineOf = (tags: unknown): string | undefined => tagOf(tags, inlineTag);

function tagOf(tags: unknown, name: string): string | undefined {
  if (typeof tags !== 'object' || tags === null) return undefined;
  const value = (tags as Record<string, unknown>)[`tag:${name}`];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
