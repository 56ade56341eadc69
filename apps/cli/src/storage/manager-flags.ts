import { readFile } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { ManagerAccess } from '@lateen/operations/storage';
import type { Command } from 'commander';

export interface ManagerFlags {
  managerUrl: string;
  managerTokenFile?: string;
}

/** Adds the flags of commands that call the manager's REST interface: these actions have no field in any object. */
export const withManagerFlags = (command: Command): Command =>
  command
    .option('--manager-url <url>', 'REST interface of the volume manager', 'http://localhost:9500')
    .option('--manager-token-file <file>', 'file with a token of the cluster, for a manager that asks for one');

/** @throws AppError BAD_FLAG */
export async function managerAccess({ managerUrl, managerTokenFile }: ManagerFlags): Promise<ManagerAccess> {
  if (!URL.canParse(managerUrl)) throw new AppError('BAD_FLAG', `--manager-url "${managerUrl}" is not a URL`);
  if (managerTokenFile === undefined) return { url: managerUrl };
  try {
    return { url: managerUrl, token: (await readFile(managerTokenFile, 'utf8')).trim() };
  } catch (cause) {
    throw new AppError('BAD_FLAG', `--manager-token-file ${managerTokenFile} cannot be read`, { cause });
  }
}
