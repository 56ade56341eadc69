import { blockRequestBytesMax, linkLost, linkRefused, type StatusContext, statusContexts } from '@lateen/block-engine';
import type { AppError } from '@lateen/errors';
import { plainLine } from '@lateen/errors';
import { type ExportFacts, encodeInfoRequest, parseExportInfo } from '../wire/export-info.ts';
import { encodeContextQuery, parseContext } from '../wire/meta-context.ts';
import { exportFlag, handshakeFlag, option, optionReply } from '../wire/numbers.ts';
import {
  encodeClientFlags,
  encodeOption,
  greetingBytes,
  type OptionReplyHead,
  optionReplyHeadBytes,
  parseGreeting,
  parseOptionReplyHead,
} from '../wire/options.ts';

/** What a handshake needs of a connection. */
export interface HandshakeLine {
  need(n: number): Promise<Buffer>;
  send(bytes: Uint8Array): void;
}

export interface Agreed extends ExportFacts {
  structured: boolean;
  contexts: ReadonlyMap<StatusContext, number>;
}

/** No server has reason to say more to one option; what comes beyond it is no answer. */
const repliesMax = 64;
const replyBytesMax = 64 * 1024;
const saidCharsMax = 200;

/**
 * Fixed newstyle up to the transmission of one export. The sizes of blocks are not asked for, so that the server takes
 * requests of any alignment (qemu-storage-daemon holds a client that asks to the alignment of its file).
 * @throws AppError `LINK_REFUSED` when the server does not have this export, `LINK_LOST` for everything else
 */
export async function shakeHands(
  line: HandshakeLine,
  exportName: string,
  wanted: readonly StatusContext[],
): Promise<Agreed> {
  const offered = parseGreeting(await line.need(greetingBytes));
  if (offered === undefined || (offered & handshakeFlag.FIXED_NEWSTYLE) === 0) {
    throw linkLost('the server does not speak NBD with the fixed newstyle handshake');
  }
  line.send(encodeClientFlags(offered & (handshakeFlag.FIXED_NEWSTYLE | handshakeFlag.NO_ZEROES)));
  const structured = wanted.length > 0 && (await askStructured(line));
  const contexts = structured ? await askContexts(line, exportName, wanted) : new Map<StatusContext, number>();
  return { ...(await go(line, exportName)), structured, contexts };
}

async function askStructured(line: HandshakeLine): Promise<boolean> {
  line.send(encodeOption(option.STRUCTURED_REPLY));
  const { type } = await nextReply(line, option.STRUCTURED_REPLY);
  return type === optionReply.ACK;
}

async function askContexts(
  line: HandshakeLine,
  exportName: string,
  wanted: readonly StatusContext[],
): Promise<Map<StatusContext, number>> {
  line.send(encodeOption(option.SET_META_CONTEXT, encodeContextQuery(exportName, wanted)));
  const found = new Map<StatusContext, number>();
  for (let replies = 0; replies < repliesMax; replies++) {
    const { type, data } = await nextReply(line, option.SET_META_CONTEXT);
    if (type === optionReply.ACK) return found;
    if (type === optionReply.ERR_UNSUP) return new Map();
    if (type !== optionReply.META_CONTEXT) throw refusal(type, data, exportName);
    const context = parseContext(data);
    const name = statusContexts.find((known) => known === context?.name);
    if (context === undefined || name === undefined) throw badAnswer('a context that was not asked for');
    found.set(name, context.id);
  }
  throw badAnswer('more contexts than there are');
}

async function go(line: HandshakeLine, exportName: string): Promise<ExportFacts> {
  line.send(encodeOption(option.GO, encodeInfoRequest({ name: exportName, wants: [] })));
  let facts: ExportFacts | undefined;
  for (let replies = 0; replies < repliesMax; replies++) {
    const { type, data } = await nextReply(line, option.GO);
    if (type === optionReply.ACK) {
      if (facts === undefined) throw badAnswer('an export without a size');
      return facts;
    }
    if (type !== optionReply.INFO) throw refusal(type, data, exportName);
    const info = parseExportInfo(data);
    if (info === undefined) throw badAnswer('facts of the wrong length');
    if (info === 'other') continue;
    if ('sizes' in info) {
      if (info.sizes.minimum > 1 || info.sizes.maximum < blockRequestBytesMax) {
        throw linkLost(`it takes only requests of ${info.sizes.minimum} to ${info.sizes.maximum} bytes`);
      }
      continue;
    }
    facts = info.facts;
    if ((facts.flags & exportFlag.HAS_FLAGS) === 0) throw badAnswer('an export without flags');
  }
  throw badAnswer('facts without end');
}

async function nextReply(line: HandshakeLine, asked: number): Promise<OptionReplyHead & { data: Buffer }> {
  const head = parseOptionReplyHead(await line.need(optionReplyHeadBytes));
  if (head === undefined || head.option !== asked) throw badAnswer('a reply to nothing that was asked');
  if (head.dataBytes > replyBytesMax) throw badAnswer(`a reply of ${head.dataBytes} bytes`);
  return { ...head, data: await line.need(head.dataBytes) };
}

function badAnswer(what: string): AppError {
  return linkLost(`its answer is not NBD: ${what}`);
}

/** The words of the server come along, cut and without the name of the export, which can be a secret. */
function refusal(type: number, data: Buffer, exportName: string): AppError {
  const said = plainLine(exportName === '' ? data.toString() : data.toString().replaceAll(exportName, '(export)'));
  const words = said === '' ? '' : `: ${said.slice(0, saidCharsMax)}`;
  if (type === optionReply.ERR_UNKNOWN || type === optionReply.ERR_POLICY) {
    return linkRefused(`it does not serve this export (now)${words}`);
  }
  if (type === optionReply.ERR_SHUTDOWN) return linkLost(`it is shutting down${words}`);
  if (type === optionReply.ERR_TLS_REQD) return linkLost(`it requires TLS, which is not supported${words}`);
  return linkLost(`it refuses with reply 0x${type.toString(16)}${words}`);
}
