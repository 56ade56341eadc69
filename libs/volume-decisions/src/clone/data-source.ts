import type { Volume } from '@lateen/storage-types';

/** What the first content of a volume is cloned from. */
export interface DataSource {
  readonly volume: string;
  /** Absent: the volume as it is when the clone is made. */
  readonly snapshot?: string;
}

/** `vol://VOLUME` or `snap://VOLUME/SNAPSHOT`; undefined for any other text. */
export function parseDataSource(text: string): DataSource | undefined {
  const [, whole, volume = whole, snapshot] = /^(?:vol:\/\/([^/]+)|snap:\/\/([^/]+)\/([^/]+))$/.exec(text) ?? [];
  if (volume === undefined) return undefined;
  return { volume, ...(snapshot === undefined ? {} : { snapshot }) };
}

export const dataSourceText = ({ volume, snapshot }: DataSource): string =>
  snapshot === undefined ? `vol://${volume}` : `snap://${volume}/${snapshot}`;

/** The source of a volume that is a clone. */
export const dataSourceOf = ({ spec }: Volume): DataSource | undefined => parseDataSource(spec.dataSource ?? '');

/**
 * Name of the snapshot that is taken for a clone of the current content of a volume. Every caller gets the same name. It contains the uid, so
 * that a later volume of the same name takes its own snapshot.
 */
export const cloneSnapshotName = ({ metadata: { name = '', uid = '' } }: Volume): string =>
  `clone-${name}-${uid.slice(0, 8)}`.replace(/-$/, '');
