import type { KubeApi } from '@lateen/kube';
import { downloadFile } from '@lateen/operations/download';
import type { BringFile } from '@lateen/operations/run';
import type { CommandContext } from '../command-context.ts';
import { downloadOptions, type ReadFlags } from './download-flags.ts';

/** Downloads files of one Backup or Restore by DownloadRequests. @param location the location of its files, if it is known */
export async function bringerOf(
  kube: KubeApi,
  { namespace = '', name = '', location }: { namespace?: string; name?: string; location: string | undefined },
  read: ReadFlags,
  { clock, random, signal }: CommandContext,
  env: Readonly<Record<string, string | undefined>>,
): Promise<BringFile> {
  // Each call sets the kind.
  const target = { kind: 'BackupResults', name } as const;
  const options = await downloadOptions(kube, { namespace, target, location }, read, env, signal);
  return (kind, use) =>
    downloadFile({ kube, clock, random }, { ...options, target: { kind, name } }, ({ pieces }) => use(pieces), signal);
}
