import { describe, expect, it } from 'vitest';
import { errorName, errorNumber } from './error-numbers.ts';
import {
  encodeBlockSizes,
  encodeExportFacts,
  encodeExportInfo,
  encodeInfoRequest,
  parseExportInfo,
  parseInfoRequest,
} from './export-info.ts';
import { fixture } from './fixture.ts';
import { encodeContextQuery, parseContext } from './meta-context.ts';
import { exportFlag, option, optionReply } from './numbers.ts';
import {
  encodeClientFlags,
  encodeGreeting,
  encodeOption,
  encodeOptionReply,
  parseGreeting,
  parseOptionHead,
  parseOptionReplyHead,
} from './options.ts';
import { encodeChunkHead, encodeSimpleReply, parseChunkHead, parseSimpleReply } from './replies.ts';
import { encodeRequest, parseRequest } from './requests.ts';

/** Written by hand from the protocol document (doc/proto of NetworkBlockDevice/nbd). */
describe('the handshake', () => {
  const greeting = fixture(`'NBDMAGIC' 'IHAVEOPT' 00 03`);
  it('encodes the greeting', () => {
    expect(encodeGreeting(3)).toEqual(greeting);
    expect(parseGreeting(greeting)).toBe(3);
    expect(encodeClientFlags(1)).toEqual(fixture('00 00 00 01'));
  });
  it('rejects a greeting that is not newstyle', () => {
    expect(parseGreeting(fixture(`'NBDMAGIC' 00 00 42 02 81 86 12 53  00 00`))).toBeUndefined();
    expect(parseGreeting(fixture(`'HTTP/1.1 400 Bad R'`))).toBeUndefined();
  });

  it('encodes a request for an export', () => {
    const data = fixture(`00 00 00 03  'vol'  00 01  00 03`);
    expect(encodeInfoRequest({ name: 'vol', wants: [3] })).toEqual(data);
    expect(parseInfoRequest(data)).toEqual({ name: 'vol', wants: [3] });
    const whole = Buffer.concat([fixture(`'IHAVEOPT' 00 00 00 07  00 00 00 0b`), data]);
    expect(encodeOption(option.GO, data)).toEqual(whole);
    expect(parseOptionHead(whole)).toEqual({ option: option.GO, dataBytes: 11 });
  });
  it.each([
    ['an empty option', ''],
    ['a name longer than the data', `00 00 00 04  'vol' 00 00`],
    ['a name of four gigabytes', `ff ff ff ff  'vol' 00 00`],
    ['fewer information requests than counted', `00 00 00 00  00 02  00 03`],
    ['bytes after the information requests', `00 00 00 00  00 00  00`],
  ])('rejects %s', (_, data) => {
    expect(parseInfoRequest(fixture(data))).toBeUndefined();
  });

  it('encodes the information about an export', () => {
    const flags = exportFlag.HAS_FLAGS | exportFlag.SEND_FLUSH | exportFlag.CAN_MULTI_CONN;
    const facts = { sizeBytes: 1n << 40n, flags };
    const bytes = fixture('00 00  00 00 01 00 00 00 00 00  01 05');
    expect(encodeExportInfo(facts)).toEqual(bytes);
    expect(encodeExportFacts(facts)).toEqual(bytes.subarray(2));
    expect(parseExportInfo(bytes)).toEqual({ facts });
    const sizes = { minimum: 1, preferred: 4096, maximum: 33_554_432 };
    const sizeBytes = fixture('00 03  00 00 00 01  00 00 10 00  02 00 00 00');
    expect(encodeBlockSizes(sizes)).toEqual(sizeBytes);
    expect(parseExportInfo(sizeBytes)).toEqual({ sizes });
    expect(parseExportInfo(fixture(`00 02 'words'`))).toBe('other');
    for (const cut of ['00', '00 00', '00 00 01', '00 03 00 00']) expect(parseExportInfo(fixture(cut))).toBeUndefined();
  });

  it('encodes replies to options', () => {
    const bytes = fixture(`00 03 e8 89 04 55 65 a9  00 00 00 07  80 00 00 06  00 00 00 02  'no'`);
    expect(encodeOptionReply(option.GO, optionReply.ERR_UNKNOWN, Buffer.from('no'))).toEqual(bytes);
    expect(parseOptionReplyHead(bytes)).toEqual({ option: 7, type: 0x80000006, dataBytes: 2 });
    expect(parseOptionReplyHead(Buffer.alloc(20))).toBeUndefined();
  });

  it('negotiates contexts', () => {
    expect(encodeContextQuery('v', ['base:allocation', 'x:y'])).toEqual(
      fixture(`00 00 00 01 'v'  00 00 00 02  00 00 00 0f 'base:allocation'  00 00 00 03 'x:y'`),
    );
    expect(parseContext(fixture(`00 00 00 09 'base:allocation'`))).toEqual({ id: 9, name: 'base:allocation' });
    expect(parseContext(fixture('00 00 00'))).toBeUndefined();
  });
});

describe('the transmission', () => {
  it('encodes requests', () => {
    const head = {
      flags: 1,
      command: 6,
      cookieHigh: 0x01020304,
      cookieLow: 0xf0f1f2f3,
      at: 0x1122334455667788n,
      lengthBytes: 0xfffffe00,
    };
    const bytes = fixture('25 60 95 13  00 01  00 06  01 02 03 04 f0 f1 f2 f3  11 22 33 44 55 66 77 88  ff ff fe 00');
    expect(encodeRequest(head)).toEqual(bytes);
    expect(parseRequest(bytes)).toEqual(head);
    expect(parseRequest(Buffer.alloc(28))).toBeUndefined();
  });

  it('encodes simple replies', () => {
    const reply = { error: 28, cookieHigh: 1, cookieLow: 2 };
    const bytes = fixture('67 44 66 98  00 00 00 1c  00 00 00 01 00 00 00 02');
    expect(encodeSimpleReply(reply)).toEqual(bytes);
    expect(parseSimpleReply(bytes)).toEqual(reply);
    expect(parseSimpleReply(Buffer.alloc(16))).toBeUndefined();
  });

  it('encodes structured replies', () => {
    const head = { flags: 1, type: 0x8002, cookieHigh: 0, cookieLow: 7, payloadBytes: 20 };
    const bytes = fixture('66 8e 33 ef  00 01  80 02  00 00 00 00 00 00 00 07  00 00 00 14');
    expect(encodeChunkHead(head)).toEqual(bytes);
    expect(parseChunkHead(bytes)).toEqual(head);
    expect(parseChunkHead(Buffer.alloc(20))).toBeUndefined();
  });

  it('uses the error numbers of Linux', () => {
    expect(errorNumber('EIO')).toBe(5);
    expect(errorName(108)).toBe('ESHUTDOWN');
    expect(errorName(4711)).toBe('EIO');
  });
});
