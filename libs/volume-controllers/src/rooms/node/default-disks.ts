import type { Node } from '@lateen/api-types';
import type { DiskFacts } from '@lateen/block-engine';
import {
  type DiskSpec,
  type LonghornNode,
  nodeAnnotations,
  storageAnnotations,
  storageLabels,
} from '@lateen/storage-types';
import { checkTags, type Settings } from '@lateen/volume-decisions';

/** A disk that a node gets at the start. */
interface WantedDisk {
  /** "" for a disk whose name is derived from its file system. */
  readonly name: string;
  readonly path: string;
  /** Undefined: the share that the setting specifies. */
  readonly storageReserved: number | undefined;
  readonly allowScheduling: boolean;
  readonly tags: readonly string[];
}

/** The disks for a node without disks: none, these, or an error in what an administrator has written. */
export type DefaultDisks =
  | { readonly kind: 'none' }
  | { readonly kind: 'wrong'; readonly problem: string }
  | { readonly kind: 'wanted'; readonly disks: readonly WantedDisk[] };

const none: DefaultDisks = { kind: 'none' };

/**
 * Which disks a node gets automatically. A new node gets the default disk, unless the setting limits this to labelled nodes: then the label
 * `node.longhorn.io/create-default-disk` decides, as long as the node has no disk: `true` for the default disk, `config` for the disks in the
 * annotation `node.longhorn.io/default-disks-config`.
 */
export function defaultDisksOf(node: LonghornNode, kubernetesNode: Node | undefined, settings: Settings): DefaultDisks {
  if (Object.keys(node.spec.disks ?? {}).length > 0 || kubernetesNode === undefined) return none;
  const usual = { name: '', storageReserved: undefined, allowScheduling: true, tags: [] };
  const defaultDisk: DefaultDisks = { kind: 'wanted', disks: [{ ...usual, path: settings.text('default-data-path') }] };
  const { labels, annotations } = kubernetesNode.metadata;
  if (!settings.flag('create-default-disk-labeled-nodes'))
    return node.metadata.annotations?.[storageAnnotations.defaultDisks] === 'wanted' ? defaultDisk : none;
  const label = labels?.[storageLabels.createDefaultDisk];
  if (label === 'true') return defaultDisk;
  return label === 'config' ? disksIn(annotations?.[nodeAnnotations.defaultDisks]) : none;
}

function disksIn(text: string | undefined): DefaultDisks {
  const wrong = (why: string): DefaultDisks => ({
    kind: 'wrong',
    problem: `annotation ${nodeAnnotations.defaultDisks}: ${why}`,
  });
  if (text === undefined) return wrong('it is missing');
  const list = listIn(text);
  if (list === undefined) return wrong('it is not a JSON list');
  const disks: WantedDisk[] = [];
  for (const each of list) {
    const disk = diskOf(each);
    if (typeof disk === 'string') return wrong(disk);
    if (disks.some(({ name, path }) => path === disk.path || (name !== '' && name === disk.name)))
      return wrong(`path or name of ${disk.path} is there twice`);
    disks.push(disk);
  }
  return disks.length === 0 ? wrong('it lists no disk') : { kind: 'wanted', disks };
}

/** A disk, or a message about what is wrong with it. */
function diskOf(entry: unknown): WantedDisk | string {
  if (typeof entry !== 'object' || entry === null) return 'an entry is not an object';
  const {
    name = '',
    path,
    storageReserved,
    allowScheduling = false,
    tags = [],
    diskType = 'filesystem',
  } = entry as Record<string, unknown>;
  if (typeof path !== 'string' || !path.startsWith('/')) return 'an entry has no absolute path';
  if (diskType !== 'filesystem') return `${path}: disks of type ${String(diskType)} are not supported here`;
  if (typeof name !== 'string' || typeof allowScheduling !== 'boolean')
    return `${path}: name is not a string, or allowScheduling not a boolean`;
  const isSize =
    storageReserved === undefined ||
    (typeof storageReserved === 'number' && storageReserved >= 0 && Number.isSafeInteger(storageReserved));
  if (!isSize) return `${path}: storageReserved is not a number of bytes`;
  if (!isTexts(tags)) return `${path}: tags are not a list of strings`;
  const problem = checkTags(tags);
  if (problem !== undefined) return `${path}: ${problem}`;
  return { name, path, storageReserved: storageReserved ?? 0, allowScheduling, tags };
}

/** Tags for a node without tags, from the annotation `node.longhorn.io/default-node-tags`. */
export function defaultTagsOf(
  node: LonghornNode,
  kubernetesNode: Node | undefined,
): readonly string[] | { readonly problem: string } {
  const text = kubernetesNode?.metadata.annotations?.[nodeAnnotations.defaultTags];
  if (text === undefined || (node.spec.tags ?? []).length > 0) return [];
  const tags = listIn(text);
  const problem = tags === undefined || !isTexts(tags) ? 'it is not a JSON list of strings' : checkTags(tags);
  if (problem !== undefined) return { problem: `annotation ${nodeAnnotations.defaultTags}: ${problem}` };
  return [...new Set(tags as string[])].sort();
}

function listIn(text: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    // The caller reports the error, with the name of the annotation.
    return undefined;
  }
}

const isTexts = (list: unknown): list is string[] =>
  Array.isArray(list) && list.every((each) => typeof each === 'string');

/**
 * The disks as they are written to the node, once its host has inspected each of them; undefined before. The reserved share is computed from the
 * inspected size. A disk that cannot be used is written nevertheless, and its status says why.
 */
export function diskSpecs(
  disks: readonly WantedDisk[],
  found: readonly DiskFacts[],
  reservedPercentage: number,
): Readonly<Record<string, DiskSpec>> | undefined {
  const specs: [string, DiskSpec][] = [];
  for (const { name, path, storageReserved, allowScheduling, tags } of disks) {
    const facts = found.find((each) => each.path === path);
    if (facts === undefined) return undefined;
    // Its size is unknown, so the reserved amount would be permanently wrong.
    if (facts.error !== undefined && (storageReserved === undefined || name === '')) return undefined;
    const share = (facts.maximumBytes * BigInt(Math.round(reservedPercentage))) / 100n;
    specs.push([
      name === '' ? freeName(`default-disk-${facts.filesystemId}`, specs) : name,
      {
        diskType: 'filesystem',
        path,
        diskDriver: '',
        allowScheduling,
        evictionRequested: false,
        storageReserved: storageReserved ?? Number(share),
        tags: [...tags],
      },
    ]);
  }
  return Object.fromEntries(specs);
}

/** Two disks on one file system get different names, so that the node can report that only one of them is used. */
function freeName(name: string, taken: readonly (readonly [string, DiskSpec])[]): string {
  const same = taken.filter(([each]) => each.startsWith(name)).length;
  return same === 0 ? name : `${name}-${same + 1}`;
}
