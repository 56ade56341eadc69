import { describe, expect, it } from 'vitest';
import { fileExtents, linesMax } from './file-extents.ts';
import { parseFiemap } from './parse-fiemap.ts';

const head = '/state/data/snap.img:\n EXT: FILE-OFFSET      BLOCK-RANGE      TOTAL FLAGS\n';
const printed = `${head}   0: [0..639]:        hole               640
   1: [640..679]:      192..231            40 0x2000
   2: [680..695]:      744..759            16   0x0
   3: [696..703]:      800..807             8 0x800
   4: [704..711]:      816..823             8 0x2008
   5: [712..1023]:     264..575           312 0x2001
`;
const extent = (first: number, end: number, sector?: number, more = {}) => ({
  startBytes: first * 512,
  endBytes: end * 512,
  physicalBytes: sector === undefined ? undefined : sector * 512,
  isUnwritten: false,
  isShared: false,
  ...more,
});

describe('the map of a file', () => {
  it('gives the address of bytes, unless a flag says that it is not their own', () => {
    expect(parseFiemap(printed)).toEqual({
      extents: [
        extent(640, 680, 192, { isShared: true }),
        extent(680, 696, 744),
        extent(696, 704, 800, { isUnwritten: true }),
        // Inside an encoded extent.
        extent(704, 712, undefined, { isShared: true }),
        extent(712, 1024, 264, { isShared: true }),
      ],
      lines: 6,
      endBytes: 1024 * 512,
    });
  });

  it('of a file without data is empty', () => {
    expect(parseFiemap('/a:\n')).toEqual({ extents: [], lines: 0, endBytes: 0 });
  });

  it.each(['   1: [640..679]:', '   1: [640..x]: hole 3', 'xfs_io: no'])('rejects the line %j', (line) => {
    expect(() => parseFiemap(`${head}${line}\n`)).toThrow(expect.objectContaining({ code: 'FILE_MAP_INVALID' }));
  });
});

describe('the extents of a file', () => {
  const all = async (answers: (string | undefined)[], startBytes: number, endBytes: number) => {
    const asked: string[] = [];
    const run = async (args: readonly string[]) => {
      asked.push(args[2] ?? '');
      return answers.shift();
    };
    return { extents: await Array.fromAsync(fileExtents(run, '/a', { startBytes, endBytes })), asked };
  };

  it('are cut at the requested bytes, together with their address', async () => {
    const { extents } = await all([printed], 650 * 512 + 1, 690 * 512);
    expect(extents).toEqual([
      { ...extent(650, 680, 202, { isShared: true }), startBytes: 650 * 512 + 1, physicalBytes: 202 * 512 + 1 },
      extent(680, 690, 744),
    ]);
  });

  it('are requested again from the end of a full answer', async () => {
    const line = (at: number) => `   ${at}: [${at}..${at}]: ${at + 9}..${at + 9} 1 0x0\n`;
    const first = `${head}${Array.from({ length: linesMax }, (_, at) => line(at)).join('')}`;
    const { extents, asked } = await all([first, `${head}${line(linesMax)}`], 0, (linesMax + 1) * 512);
    expect(extents).toHaveLength(linesMax + 1);
    expect(asked).toEqual([`fiemap -v -n 4096 0 ${4097 * 512}`, `fiemap -v -n 4096 ${4096 * 512} 512`]);
  });

  it('are unknown from the position where the file system has no map', async () => {
    expect((await all([undefined], 7, 99)).extents).toEqual([{ unknownFrom: 7 }]);
  });
});
