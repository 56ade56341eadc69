import { ownerText } from '@lateen/repository';
import { inlineTag } from './inline-manifest.ts';

/**
 * The tag that links a snapshot and its attribute manifest; its value is a random key. kopia keeps it under `tag:` and this name.
 */
export const attributesTag = 'lateen-attributes';

/** The one file of a manifest's snapshot. */
export const manifestFileName = 'attributes.jsonl.gz';

/** Prefix of the source paths of manifests, and of no other sources. */
export const sourcePrefix = 'lateen-attributes/';

/**
 * The source path of a volume's manifests: by its namespace and its name, the third and the last part of the volume's own source
 * path.
 */
export function attributesSource(mainSourcePath: string): string {
  const [, , namespace = '', ...rest] = mainSourcePath.split('/');
  return `${sourcePrefix}${namespace}/${rest.at(-1) ?? ''}`;
}

/** The argument that tags a snapshot with a key. */
export const attributesTagArg = (key: string): string => `--tags=${attributesTag}:${key}`;

/** The argument that stores a manifest in a tag of the snapshot. */
export const inlineTagArg = (value: string): string => `--tags=${inlineTag}:${value}`;

/** Arguments of `kopia snapshot create` for a manifest that is piped into standard input. */
export function storeManifestArgs(mainSourcePath: string, key: string): string[] {
  return [
    'snapshot',
    'create',
    // Nothing is read from this path; kopia needs a name for the folder of the one file.
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

/** The manifest that is stored in the tags themselves; undefined for a snapshot without one there. */
export const attributesInlineOf = (tags: unknown): string | undefined => tagOf(tags, inlineTag);

function tagOf(tags: unknown, name: string): string | undefined {
  if (typeof tags !== 'object' || tags === null) return undefined;
  const value = (tags as Record<string, unknown>)[`tag:${name}`];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
