import { existsSync, writeFileSync } from 'node:fs';
import type { ActionContext, ItemIdentifier, KubeObject } from '@lateen/plugin';

/** The annotation of an item; the README of this package defines it. */
export interface ItemScript {
  log?: { level: 'debug' | 'info' | 'warn' | 'error'; message: string }[];
  logLines?: number;
  print?: string;
  crashOnce?: string;
  crash?: string;
  panic?: string;
  hang?: boolean;
  fail?: string;
  annotate?: Record<string, string>;
  environment?: boolean;
  fillerBytes?: number;
  additionalItems?: ItemIdentifier[];
  relatedItems?: ItemIdentifier[];
  postOperationItems?: ItemIdentifier[];
  skipRestore?: boolean;
  waitForAdditionalItems?: boolean;
  additionalItemsReadyTimeoutSeconds?: number;
  operation?: { polls: number; error?: string };
}

const annotation = 'fixture.lateen.dev/script';
const never = () => new Promise<never>(() => {});

/** The script of an item or of a run. */
export const scriptOf = <Script = ItemScript>({ metadata }: KubeObject): Script =>
  JSON.parse(metadata.annotations?.[annotation] ?? '{}') as Script;

/** What an action does before it returns: writes log lines, fails, changes its item. */
export async function act(item: KubeObject, { log }: ActionContext): Promise<ItemScript> {
  const script = scriptOf(item);
  for (const { level, message } of script.log ?? []) log[level]({}, message);
  for (let line = 1; line <= (script.logLines ?? 0); line++) log.info({}, `line ${line}`);
  if (script.print !== undefined) process.stdout.write(`${script.print}\n`);
  await failAsAsked(script);
  change(item, script);
  return script;
}

async function failAsAsked({ crashOnce, crash, panic, hang, fail }: ItemScript): Promise<void> {
  if (crashOnce !== undefined && !existsSync(crashOnce)) {
    writeFileSync(crashOnce, '');
    await dieWith('once');
  }
  if (crash !== undefined) await dieWith(crash);
  if (panic !== undefined) throw panic;
  if (hang) await never();
  if (fail !== undefined) throw new Error(fail);
}

/** Ends the whole program, not only this call. */
function dieWith(text: string): Promise<never> {
  setImmediate(() => {
    throw new Error(text);
  });
  return never();
}

function change({ metadata }: KubeObject, { annotate = {}, environment, fillerBytes }: ItemScript): void {
  const added = {
    ...annotate,
    ...(environment ? { 'fixture.lateen.dev/environment': Object.keys(process.env).sort().join(',') } : {}),
    ...(fillerBytes === undefined ? {} : { 'fixture.lateen.dev/filler': 'x'.repeat(fillerBytes) }),
  };
  if (Object.keys(added).length > 0) metadata.annotations = { ...metadata.annotations, ...added };
}
