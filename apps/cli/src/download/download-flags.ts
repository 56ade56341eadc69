import type { DownloadTarget } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import { type DownloadOptions, readLocationCa, trustedAuthorities } from '@lateen/operations/download';
import type { Command } from 'commander';
import { readCaFile } from '../backup-location/read-ca-file.ts';
import { caFileVariable } from '../client-config.ts';
import { parseDuration } from '../parse-duration.ts';

/** Flags of every command that downloads. */
export interface DownloadFlags {
  timeout: string;
  cacert?: string;
  insecureSkipTlsVerify?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @param timeoutDefault Go duration */
export function withDownloadFlags(command: Command, env: Environment, timeoutDefault = '1m'): Command {
  return command
    .option('--timeout <duration>', 'how long to wait for the server, and for data from the store', timeoutDefault)
    .option(
      '--cacert <file>',
      'PEM file of certificate authorities to trust besides those of the system',
      env[caFileVariable],
    )
    .option('--insecure-skip-tls-verify', 'accept any certificate of the object store (insecure)');
}

/** The values of the flags, read before any request to the cluster. */
export interface ReadFlags {
  timeoutMs: number;
  insecureSkipTlsVerify: boolean;
  caBundle: string | undefined;
}

/** @throws AppError BAD_FLAG */
export async function readDownloadFlags(flags: DownloadFlags): Promise<ReadFlags> {
  const timeoutMs = parseDuration('--timeout', flags.timeout);
  return {
    timeoutMs,
    insecureSkipTlsVerify: flags.insecureSkipTlsVerify === true,
    caBundle: flags.cacert === undefined ? undefined : await readCaFile(flags.cacert),
  };
}

/**
 * Options for `downloadFile`. The CA of the location is trusted unless `--cacert` gives one (cli.md section 7). It is not read
 * where it is not needed, so that the user then needs no permission to read Secrets.
 */
export async function downloadOptions(
  kube: KubeApi,
  what: { namespace: string; target: DownloadTarget; location: string | undefined },
  { timeoutMs, insecureSkipTlsVerify, caBundle }: ReadFlags,
  env: Environment,
  signal: AbortSignal,
): Promise<DownloadOptions> {
  const { namespace, target, location } = what;
  const asked = location && !insecureSkipTlsVerify && caBundle === undefined;
  const ofLocation = asked ? await readLocationCa(kube, { namespace, location }, signal) : undefined;
  const bundles = [caBundle, ofLocation].filter((bundle) => bundle !== undefined);
  return { namespace, target, timeoutMs, insecureSkipTlsVerify, authorities: trustedAuthorities(bundles), env };
}
