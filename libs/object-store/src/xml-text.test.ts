import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf, textsOf, unescapeXml } from './xml-text.ts';

const escapeXml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`).replaceAll('&#38;', '&amp;');

describe('XML of object stores', () => {
  it('unescapes any escaped text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(unescapeXml(escapeXml(text))).toBe(text);
        expect(textOf(`<R><Key>${escapeXml(text)}</Key></R>`, 'Key')).toBe(text);
      }),
    );
  });

  it('finds every element of a name, with attributes, but not longer names', () => {
    const xml = '<L><Key>a</Key><KeyCount>2</KeyCount><Key xmlns="x">b&amp;&#x63;</Key></L>';
    expect(textsOf(xml, 'Key').map(unescapeXml)).toEqual(['a', 'b&c']);
    expect(textOf(xml, 'None')).toBe('');
  });

  it.each(['a&b &nope; &', '&#x110000;', '&#99999999;', '&#xffffffffffffffff;'])('leaves %s unchanged', (text) =>
    expect(unescapeXml(text)).toBe(text),
  );

  it.each(['<Key>', '<Key ', '<KeyCount>', '<', '<Key></Ke'])('scans megabytes of %s in linear time', (piece) =>
    expect(textsOf(piece.repeat(500_000), 'Key')).toEqual([]),
  );
});
