import { describe, expect, it } from 'vitest';
import { declarationsOf } from './declarations.ts';
import { schemaOfKind } from './schema-of-kind.ts';

/** The schema of `spec.field` when the field is declared as given. */
function schemaOfField(field: string, others = '') {
  const text = `/** A thing. */
export interface Thing extends KubeObject {
  spec: ThingSpec;
}
export interface ThingSpec {
  ${field}
}
${others}`;
  const schema = schemaOfKind('Thing', declarationsOf([{ path: 'thing.ts', text }]));
  return schema.properties?.spec;
}

describe('a field', () => {
  it.each([
    ['string', { type: 'string' }],
    ['boolean', { type: 'boolean' }],
    ['Integer', { type: 'integer' }],
    ['Int64', { type: 'integer', format: 'int64' }],
    ['Int32', { type: 'integer', format: 'int32' }],
    ['Int64Text', { type: 'string', format: 'int64' }],
    ['TimeText', { type: 'string' }],
    ['Mood', { type: 'string' }],
    ['Mood | null', { type: 'string', nullable: true }],
    ['Record<string, Mood> | null', { type: 'object', additionalProperties: { type: 'string' }, nullable: true }],
    ['Timestamp', { type: 'string', format: 'date-time' }],
    ['Duration', { type: 'string' }],
    ['Base64', { type: 'string', format: 'byte' }],
    ['RawObject', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    ['string[]', { type: 'array', items: { type: 'string' } }],
    ['Timestamp | null', { type: 'string', format: 'date-time', nullable: true }],
    ['(string[]) | null', { type: 'array', items: { type: 'string' }, nullable: true }],
    ["'b' | 'a' | ''", { type: 'string', enum: ['b', 'a', ''] }],
    ["'a'", { type: 'string', enum: ['a'] }],
    ['Record<string, string>', { type: 'object', additionalProperties: { type: 'string' } }],
    ['Record<string, never>', { type: 'object' }],
    ['Color', { type: 'string', enum: ['red', 'blue'] }],
    [
      'Size | null',
      {
        type: 'object',
        properties: { width: { type: 'integer', description: 'Across.' } },
        required: ['width'],
        description: 'How big.',
        nullable: true,
      },
    ],
  ])('of type %s', (type, expected) => {
    const others = `export const colors = ['red', 'blue'] as const;
      export type Color = (typeof colors)[number];
      /** @unchecked */ export type Mood = (typeof colors)[number];
      /** How big. */ export interface Size {
 /** Across. */ width: Integer }`;
    const field = schemaOfField(`/** Its use. */ x?: ${type};`, others)?.properties?.x;
    expect(field).toEqual({ ...expected, description: 'Its use.' });
  });

  it('is required when it has no question mark, and required fields are sorted', () => {
    const spec = schemaOfField('/** B. */ b: string;\n/** C. */ c?: string;\n/** A. */ a: string;');
    expect(spec?.required).toEqual(['a', 'b']);
  });

  it('applies markers and removes them from the description', () => {
    const field = schemaOfField(`/**
   * Words that go on
   * in the next line.
   *
   * Second paragraph.
   * @minItems 2
   * @listType set
   * @default ["x"]
   * @see something internal
   */
  x?: string[];`)?.properties?.x;
    expect(field).toEqual({
      type: 'array',
      items: { type: 'string' },
      description: 'Words that go on in the next line.\n\nSecond paragraph.',
      minItems: 2,
      'x-kubernetes-list-type': 'set',
      default: ['x'],
    });
  });

  it.each([
    ['Integer', '@minimum 0\n * @maximum 5', { type: 'integer', minimum: 0, maximum: 5 }],
    ['string', '@minLength 1', { type: 'string', minLength: 1 }],
    ["'1' | '2'", '@format int64', { type: 'string', enum: ['1', '2'], format: 'int64' }],
    ["'1' | '2'", '@unchecked', { type: 'string' }],
    [
      'boolean',
      '@immutable X is immutable',
      { type: 'boolean', 'x-kubernetes-validations': [{ message: 'X is immutable', rule: 'self == oldSelf' }] },
    ],
    [
      'Int64',
      '@immutableOnceSet X is immutable once set',
      {
        type: 'integer',
        format: 'int64',
        'x-kubernetes-validations': [{ message: 'X is immutable once set', rule: 'oldSelf == 0 || self == oldSelf' }],
      },
    ],
  ])('of type %s applies %s', (type, marker, expected) => {
    const field = schemaOfField(`/**\n * X.\n * ${marker}\n */\n x?: ${type};`)?.properties?.x;
    expect(field).toEqual({ ...expected, description: 'X.' });
  });

  it('whose interface extends others has their fields too', () => {
    const others = `/** Both. */ interface Both extends Named, Sized {
 /** C. */ c: string }
interface Named {
 /** B. */ b: string }
interface Sized {
 /** A. */ a?: Integer }`;
    expect(schemaOfField('/** Its use. */ x: Both;', others)?.properties?.x).toEqual({
      type: 'object',
      description: 'Its use.',
      properties: {
        b: { type: 'string', description: 'B.' },
        a: { type: 'integer', description: 'A.' },
        c: { type: 'string', description: 'C.' },
      },
      required: ['b', 'c'],
    });
  });

  it('prefers its own description to that of its type', () => {
    const spec = schemaOfField('/** This very size. */ x: Size;', '/** How big. */ interface Size {}');
    expect(spec?.properties?.x?.description).toBe('This very size.');
  });
});

describe('what a CRD cannot express is rejected with its place', () => {
  it.each([
    ['a bare number', '/** X. */ x: number;', 'a bare number'],
    ['any', '/** X. */ x: any;', 'any has no form in a CRD'],
    ['unknown', '/** X. */ x: unknown;', 'unknown has no form in a CRD'],
    ['a union of types', '/** X. */ x: string | Integer;', 'string cannot be part of a union'],
    ['a type literal', '/** X. */ x: { a: string };', 'has no form in a CRD'],
    ['a generic type', '/** X. */ x: Array<string>;', 'is generic'],
    ['a map with other keys', '/** X. */ x: Record<Color, string>;', 'keys of a map are strings'],
    ['words or null', "/** X. */ x: 'a' | 'b' | null;", 'joins words with null'],
    ['a list of words or null', '/** X. */ x: Color | null;', 'joins words with null'],
    ['a number literal', '/** X. */ x: 1;', '1 cannot be part of a union'],
    ['an unknown type', '/** X. */ x: Elsewhere;', 'Elsewhere is not declared'],
    ['an unknown list', '/** X. */ x: (typeof elsewhere)[number];', 'is not (typeof list)[number]'],
    ['a field without words', 'x: string;', 'x has no doc comment'],
    ['a method', '/** X. */ x(): string;', 'only properties with a type'],
    ['an index signature', '[x: string]: string;', 'only properties with a type'],
    ['an unknown marker', '/** X.\n * @maxItems 2 */ x: string[];', 'the marker @maxItems is not known'],
    ['a default that is not JSON', '/** X.\n * @default yes */ x?: string;', '@default needs a JSON value'],
    ['a wrong number', '/** X.\n * @minItems -1 */ x: string[];', '@minItems needs a number from 0'],
    ['a wrong list type', '/** X.\n * @listType any */ x: string[];', '@listType is'],
    ['a type inside itself', '/** X. */ x: Tree;', 'Tree contains itself'],
    ['a child of itself', '/** X. */ x: Child;', 'Tree contains itself'],
    ['a parent from elsewhere', '/** X. */ x: Stray;', 'Elsewhere is not an interface that the generator reads'],
    ['a generic parent', '/** X. */ x: Generic;', 'Tree<string> is not an interface that the generator reads'],
    ['a field that the parent has', '/** X. */ x: Twice;', 'b is declared twice'],
    ['a least value of a text', '/** X.\n * @minimum 1 */ x: string;', '@minimum is not for type string'],
    ['a least length of a number', '/** X.\n * @minLength 1 */ x: Integer;', '@minLength is not for type integer'],
    ['a greatest value that is no number', '/** X.\n * @maximum many */ x: Integer;', '@maximum needs a number from 0'],
    ['a format of a number', '/** X.\n * @format int64 */ x: Integer;', '@format is for texts'],
    ['an unknown format', '/** X.\n * @format date */ x: string;', '@format is int32 or int64'],
    ['any text that is one already', '/** X.\n * @unchecked */ x: string;', '@unchecked is for lists of words'],
    ['a rule without a message', '/** X.\n * @immutable */ x: string;', '@immutable needs the message'],
    ['a marker of every object', '/** X.\n * @toString */ x: string;', 'the marker @toString is not known'],
  ])('%s', (_what, field, message) => {
    const others = `const colors = ['red'] as const;
type Color = (typeof colors)[number];
interface Tree {
  /** C. */ children: Tree[];
}
interface Child extends Tree {}
interface Stray extends Elsewhere {}
interface Generic extends Tree<string> {}
interface Base {
 /** B. */ b: string }
interface Twice extends Base {
 /** B. */ b: string }`;
    expect(() => schemaOfField(field, others)).toThrow(
      expect.objectContaining({ code: 'CRD_SOURCE', message: expect.stringMatching(/^thing\.ts:\d+:\d+: /) }),
    );
    expect(() => schemaOfField(field, others)).toThrow(message);
  });
});

describe('a kind', () => {
  it.each([
    ['is not declared', 'interface Other {}', 'no interface is named Thing'],
    ['does not extend KubeObject', '/** T. */ interface Thing {}', 'does not extend KubeObject'],
    ['has no words', 'interface Thing extends KubeObject {}', 'Thing has no doc comment'],
    ['has other fields', '/** T. */ interface Thing extends KubeObject { data: string }', 'may only have spec, status'],
    ['is declared twice', 'interface Thing {}\ntype Thing = string', 'Thing is declared twice'],
  ])('that %s is rejected', (_what, text, message) => {
    expect(() => schemaOfKind('Thing', declarationsOf([{ path: 'thing.ts', text }]))).toThrow(message);
  });

  const setting = `/** A setting. */ interface Setting extends KubeObject {
  /** V. */ value: string;
  /** N. */ note?: string;
  status?: SettingStatus;
}
interface SettingStatus {
 /** A. */ applied: boolean }`;
  const from = declarationsOf([{ path: 'setting.ts', text: setting }]);

  it('may have the root fields that its definition names, and requires those without a question mark', () => {
    const schema = schemaOfKind('Setting', from, ['value', 'note']);
    expect(schema.required).toEqual(['value']);
    expect(schema.properties).toMatchObject({
      value: { type: 'string', description: 'V.' },
      note: { type: 'string', description: 'N.' },
      status: { required: ['applied'] },
    });
  });

  it.each([
    ['that has root fields which its definition does not name', ['value'], 'may only have spec, status, value'],
    ['that lacks one which it names', ['value', 'note', 'other'], 'Setting has no other'],
  ])('%s is rejected', (_what, rootFields, message) => {
    expect(() => schemaOfKind('Setting', from, rootFields)).toThrow(message);
  });
});
