import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { readIfThere, writeFileAtomically } from '../host/write-file.ts';
import { cacheDir } from '../parts/cache-dir.ts';
import { go } from '../parts/go-toolchain.ts';
import { partKey } from '../parts/part-key.ts';
import { parts } from '../parts/part-table.ts';
import { partsDir } from '../parts/parts-dir.ts';

/** Definitions that belong to a part: the part's module pins the module with them, so they are not committed here. */
interface CrdSource {
  part: string;
  module: string;
  group: string;
  kinds: readonly string[];
}

const snapshots: CrdSource = {
  part: 'snapshot-controller',
  module: 'github.com/kubernetes-csi/external-snapshotter/client/v8',
  group: 'snapshot.storage.k8s.io',
  kinds: ['volumesnapshotclasses', 'volumesnapshotcontents', 'volumesnapshots'],
};

const snapshotMetadata: CrdSource = {
  part: 'csi-snapshot-metadata',
  module: 'github.com/kubernetes-csi/external-snapshot-metadata/client',
  group: 'cbt.storage.k8s.io',
  kinds: ['snapshotmetadataservices'],
};

export interface SnapshotCrd {
  name: string;
  /** YAML. */
  text: string;
}

/** The snapshot CRDs of the pinned snapshot controller: from the cache, else from its Go module. */
export const snapshotCrds = (signal?: AbortSignal): Promise<SnapshotCrd[]> => crdsOf(snapshots, signal);

/** The same for the pinned sidecar external-snapshot-metadata: SnapshotMetadataService. */
export const snapshotMetadataCrds = (signal?: AbortSignal): Promise<SnapshotCrd[]> => crdsOf(snapshotMetadata, signal);

async function crdsOf(source: CrdSource, signal: AbortSignal | undefined): Promise<SnapshotCrd[]> {
  const part = parts.find(({ name }) => name === source.part);
  if (part === undefined) throw new AppError('PART_UNKNOWN', `there is no part named "${source.part}"`);
  const kept = join(cacheDir(), 'crds', await partKey(part, partsDir));
  const crds: SnapshotCrd[] = [];
  for (const plural of source.kinds) {
    const file = join(kept, `${plural}.yaml`);
    let text = await readIfThere(file);
    if (text === undefined) {
      const folder = await crdFolder(source.module, join(partsDir, part.module), signal);
      text = await readFile(join(folder, `${source.group}_${plural}.yaml`), 'utf8');
      await writeFileAtomically(file, text);
    }
    crds.push({ name: `${plural}.${source.group}`, text });
  }
  return crds;
}

async function crdFolder(module: string, folder: string, signal: AbortSignal | undefined): Promise<string> {
  const answer = JSON.parse(await go(['mod', 'download', '-json', module], folder, { signal })) as { Dir?: string };
  if (answer.Dir === undefined) throw new AppError('CRDS_MISSING', `go mod download named no folder for ${module}`);
  return join(answer.Dir, 'config', 'crd');
}
