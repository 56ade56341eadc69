import {
  claimNameOf,
  isMounted,
  type ObjectMeta,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type Unstructured,
} from '@lateen/api-types';

/** The prefix of the pod annotations that say how volumes are backed up. */
const volumeAnnotations = 'backup.velero.io/';

/** Names of the claims that a pod mounts. */
export function claimsOf({ metadata, spec }: Pod): string[] {
  const names = (spec?.volumes ?? []).map((volume) => claimNameOf(metadata.name ?? '', volume));
  return [...new Set(names.filter((name) => name !== undefined))];
}

interface Claim {
  claim?: PersistentVolumeClaim;
  /** Pods by name, and whether each pod is in the backup. */
  pods: Map<string, { pod: Pod; inBackup: boolean }>;
}

/**
 * Indexes claims, their volumes and the pods that mount them, as the lists return them: volume policies need these facts for each volume.
 * Only these facts of an object are kept, and only of objects that have to do with volumes.
 */
export class ClaimIndex {
  readonly #claims = new Map<string, Claim>();
  readonly #volumes = new Map<string, PersistentVolume>();

  addPod(pod: Pod, inBackup: boolean): void {
    const { namespace = '', name = '' } = pod.metadata;
    const claims = claimsOf(pod);
    if (claims.length === 0) return;
    const reduced = reducedPod(pod);
    for (const claim of claims) {
      const { pods } = this.#claim(namespace, claim);
      pods.set(name, { pod: reduced, inBackup: inBackup || (pods.get(name)?.inBackup ?? false) });
    }
  }

  addClaim(claim: PersistentVolumeClaim): void {
    const { namespace = '', name = '' } = claim.metadata;
    this.#claim(namespace, name).claim = { ...claim, metadata: reducedMeta(claim.metadata) };
  }

  addVolume(volume: PersistentVolume): void {
    this.#volumes.set(volume.metadata.name ?? '', { ...volume, metadata: reducedMeta(volume.metadata) });
  }

  /** Pods that mount the claim. */
  podsOf(namespace: string, claim: string): Pod[] {
    return [...(this.#claims.get(`${namespace}/${claim}`)?.pods.values() ?? [])].map(({ pod }) => pod);
  }

  /** The pods among these that are in the backup. */
  podsInBackup(namespace: string, claim: string): Pod[] {
    const pods = [...(this.#claims.get(`${namespace}/${claim}`)?.pods.values() ?? [])];
    return pods.flatMap(({ pod, inBackup }) => (inBackup ? [pod] : []));
  }

  claim(namespace: string, name: string): PersistentVolumeClaim | undefined {
    return this.#claims.get(`${namespace}/${name}`)?.claim;
  }

  volume(name: string): PersistentVolume | undefined {
    return this.#volumes.get(name);
  }

  /** Volumes that claims are bound to but no list contained. */
  unknownVolumes(): string[] {
    const names = [...this.#claims.values()].map(({ claim }) => claim?.spec.volumeName ?? '');
    return names.filter((name) => name !== '' && !this.#volumes.has(name));
  }

  /** Namespaces that have claims. */
  namespaces(): string[] {
    return [...new Set([...this.#claims].flatMap(([key, { claim }]) => (claim ? key.slice(0, key.indexOf('/')) : [])))];
  }

  #claim(namespace: string, name: string): Claim {
    const key = `${namespace}/${name}`;
    const known = this.#claims.get(key) ?? { pods: new Map() };
    this.#claims.set(key, known);
    return known;
  }
}

export const asPod = (object: Unstructured): Pod => object as unknown as Pod;
export const asClaim = (object: Unstructured): PersistentVolumeClaim => object as unknown as PersistentVolumeClaim;
export const asVolume = (object: Unstructured): PersistentVolume => object as unknown as PersistentVolume;

function reducedPod({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(volumeAnnotations));
  // A volume that no container mounts is not read through the pod, so it must not prevent the claim's snapshot.
  const volumes = spec.volumes?.filter(({ name }) => isMounted(spec, name));
  return {
    apiVersion,
    kind,
    metadata: { ...pick(metadata), annotations: Object.fromEntries(annotations) },
    spec: { containers: [], ...(volumes === undefined ? {} : { volumes }) },
    ...(status?.phase === undefined ? {} : { status: { phase: status.phase } }),
  };
}

const reducedMeta = (metadata: ObjectMeta): ObjectMeta => ({
  ...pick(metadata),
  ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
});

function pick({ name, namespace, uid, labels }: ObjectMeta): ObjectMeta {
  return {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(labels === undefined ? {} : { labels }),
  };
}
