/**
 * Which manager processes the objects of a kind. `spec.nodeID`: preferably that of the node that the object names; `volume`: exactly the owner of its
 * volume; `nobody`: any node. `needsImage`: only a node that has the engine image of the object.
 */
export interface OwnerRule {
  readonly preferred: 'spec.nodeID' | 'volume' | 'nobody';
  readonly needsImage: boolean;
}

export const ownerRules = {
  Volume: { preferred: 'spec.nodeID', needsImage: true },
  Engine: { preferred: 'spec.nodeID', needsImage: true },
  Replica: { preferred: 'spec.nodeID', needsImage: false },
  InstanceManager: { preferred: 'spec.nodeID', needsImage: false },
  Orphan: { preferred: 'spec.nodeID', needsImage: false },
  Snapshot: { preferred: 'volume', needsImage: false },
  VolumeAttachment: { preferred: 'volume', needsImage: false },
  EngineImage: { preferred: 'nobody', needsImage: true },
  RecurringJob: { preferred: 'nobody', needsImage: false },
  BackupTarget: { preferred: 'nobody', needsImage: true },
  BackupVolume: { preferred: 'nobody', needsImage: true },
  Backup: { preferred: 'nobody', needsImage: true },
} as const satisfies Record<string, OwnerRule>;
export type OwnedKind = keyof typeof ownerRules;

/** The preferred owner of an object; "" for none. Objects of kinds that follow their volume are processed by this owner only. */
export function preferredOwner(
  kind: OwnedKind,
  object: { readonly spec?: object },
  volume?: { readonly status?: { readonly ownerID?: string } },
): string {
  const { preferred } = ownerRules[kind];
  if (preferred === 'nobody') return '';
  if (preferred === 'volume') return volume?.status?.ownerID ?? '';
  const nodeID: unknown = object.spec !== undefined && 'nodeID' in object.spec ? object.spec.nodeID : '';
  return typeof nodeID === 'string' ? nodeID : '';
}
