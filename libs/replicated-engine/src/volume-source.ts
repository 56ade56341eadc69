import { type BlockSource, blockVolumeError } from '@lateen/block-engine';
import { dataSourceText, parseDataSource } from '@lateen/volume-decisions';
import { objectNameOf } from './object-name.ts';

/** `spec.dataSource` and `spec.fromBackup` of a volume that begins with `source`, as Longhorn writes them. */
export function sourceSpec(source: BlockSource | undefined): { dataSource?: string; fromBackup?: string } {
  switch (source?.kind) {
    case undefined:
      return {};
    case 'volume':
      return { dataSource: dataSourceText({ volume: objectNameOf(source.volume) }) };
    case 'snapshot':
      return {
        dataSource: dataSourceText({
          volume: objectNameOf(source.volume),
          snapshot: objectNameOf(source.snapshot),
        }),
      };
    case 'backup':
      return { fromBackup: source.url };
  }
}

/** The reverse, for the parameter `dataSource`. @throws AppError `INVALID_ARGUMENT` */
export function sourceOfText(text: string): BlockSource {
  const { volume, snapshot } = parseDataSource(text) ?? {};
  if (volume === undefined)
    throw blockVolumeError('INVALID_ARGUMENT', `data source ${JSON.stringify(text)} cannot be read`, {
      nextStep: 'Write it as vol://VOLUME or snap://VOLUME/SNAPSHOT.',
    });
  return snapshot === undefined ? { kind: 'volume', volume } : { kind: 'snapshot', volume, snapshot };
}
