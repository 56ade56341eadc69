/** Values that a Volume's spec may have (longhorn.md section 2). Orders are those of the CRD. */

export const accessModes = ['rwo', 'rwop', 'rwx'] as const;
export type AccessMode = (typeof accessModes)[number];

/** strict-local means one replica, on the node that the volume is attached to. */
export const dataLocalities = ['disabled', 'best-effort', 'strict-local'] as const;
export type DataLocality = (typeof dataLocalities)[number];

/** `ignored` takes the setting. */
export const replicaAutoBalances = ['ignored', 'disabled', 'least-effort', 'best-effort'] as const;
export type ReplicaAutoBalance = (typeof replicaAutoBalances)[number];

/** `ignored` takes the setting. */
export const snapshotDataIntegrities = ['ignored', 'disabled', 'enabled', 'fast-check'] as const;
export type SnapshotDataIntegrity = (typeof snapshotDataIntegrities)[number];

export const cloneModes = ['', 'full-copy', 'linked-clone'] as const;
export type CloneMode = (typeof cloneModes)[number];

export const compressionMethods = ['none', 'lz4', 'gzip'] as const;
export type CompressionMethod = (typeof compressionMethods)[number];
