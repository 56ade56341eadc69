import { type BlockSource, blockVolumeError } from '@lateen/block-engine';
import { objectNameOf } from './object-name.ts';

/** `spec.dataSource` and `spec.fromBackup` of a volume that begins with `source`, as the reference writes them. */
export function sourceSpec(source: BlockSource | undefined): { dataSource?: string; fromBackup?: string } {
  switch (source?.kind) {
    case undefined:
      return {};
    case 'volume':
      return { dataSource: `vol://${objectNameOf(source.volume)}` };
    case 'snapshot':
      return { dataSource: `snap://${objectNameOf(source.volume)}/${objectNameOf(source.snapshot)}` };
    case 'backup':
      return { fromBackup: source.url };
  }
}

/** The reverse, for the parameter `dataSource`. @throws AppError `INVALID_ARGUMENT` */
export function sourceOfText(text: string): BlockSource {
  const [, volume] = /^vol:\/\/([^/]+)$/.exec(text) ?? [];
  if (volume !== undefined) return { kind: 'volume', volume };
  const [, of, snapshot] = /^snap:\/\/([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (of !== undefined && snapshot !== undefined) return { kind: 'snapshot', volume: of, snapshot };
  throw blockVolumeError('INVALID_ARGUMENT', `data source ${JSON.stringify(text)} cannot be read`, {
    nextStep: 'Write it as vol://VOLUME or snap://VOLUME/SNAPSHOT.',
  });
}
