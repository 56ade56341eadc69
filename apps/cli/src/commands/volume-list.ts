import { type DataDownload, type DataUpload, dataDownloadType, dataUploadType } from '@lateen/api-types';
import Table from 'cli-table3';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { byteSize } from '../output/byte-size.ts';
import { duration } from '../output/duration.ts';
import { parseOutputFormat, printObjects } from '../output/print-object.ts';

/** kubectl's look: columns parted by spaces, no lines. */
const plain = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** `lateen volume list` */
export function volumeListCommand(context: CommandContext): Command {
  return new Command('list')
    .alias('get')
    .description('List uploads and downloads of volumes')
    .option('-o, --output <format>', 'table, json, yaml or name', 'table')
    .addHelpText('after', '\nExamples:\n  lateen volume list\n  lateen volume list -o yaml')
    .action(async (flags: { output: string }, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseOutputFormat(flags.output);
      const kube = await context.connect(global);
      const options = { namespace: global.namespace, signal: context.signal };
      const [uploads, downloads] = await Promise.all([
        kube.list(dataUploadType, options),
        kube.list(dataDownloadType, options),
      ]);
      const items = [...uploads.items, ...downloads.items].sort(byAge);
      context.stdout.write(
        format === 'table' ? movementTable(items, context.clock.now()) : printObjects(items, format, true),
      );
    });
}

function byAge(a: DataUpload | DataDownload, b: DataUpload | DataDownload): number {
  return (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '');
}

/** @param nowMs since the epoch */
export function movementTable(items: readonly (DataUpload | DataDownload)[], nowMs: number): string {
  if (items.length === 0) return 'No volume has been uploaded or downloaded yet.\n';
  const table = new Table({
    head: ['KIND', 'NAME', 'VOLUME', 'PHASE', 'DONE', 'TOTAL', 'LOCATION', 'NODE', 'AGE'],
    chars: plain,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const item of items) {
    const progress = item.status?.progress;
    table.push([
      item.kind,
      item.metadata.name ?? '',
      volumeOf(item),
      item.status?.phase ?? 'New',
      byteSize(progress?.bytesDone ?? 0),
      byteSize(progress?.totalBytes ?? 0),
      item.spec.backupStorageLocation,
      item.status?.node ?? '',
      duration(nowMs - Date.parse(item.metadata.creationTimestamp ?? '')),
    ]);
  }
  return `${table.toString().replace(/ +$/gm, '')}\n`;
}

function volumeOf(item: DataUpload | DataDownload): string {
  if (item.kind === 'DataUpload') {
    const { sourceNamespace, sourcePVC } = (item as DataUpload).spec;
    return `${sourceNamespace}/${sourcePVC}`;
  }
  const { targetVolume } = (item as DataDownload).spec;
  return `${targetVolume.namespace}/${targetVolume.pvc}`;
}
