import ts from 'typescript';
import type { Declarations } from './declarations.ts';
import { descriptionOf, withDoc } from './doc-comment.ts';
import { scalarSchemas } from './scalar-schemas.ts';
import { sourceProblem } from './source-problem.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * The schema of a type as written. Accepts only forms with the same meaning in TypeScript and CRDs, and rejects others. `path` has the
 * interfaces and aliases that are being expanded, because a structural schema cannot refer to itself.
 * @throws CRD_SOURCE
 */
export function schemaOfType(node: ts.TypeNode, from: Declarations, path: readonly string[] = []): StructuralSchema {
  if (ts.isParenthesizedTypeNode(node)) return schemaOfType(node.type, from, path);
  if (ts.isUnionTypeNode(node)) return schemaOfUnion(node, from, path);
  if (ts.isArrayTypeNode(node)) return { type: 'array', items: schemaOfType(node.elementType, from, path) };
  if (ts.isIndexedAccessTypeNode(node)) return schemaOfTuple(node, from);
  if (ts.isTypeReferenceNode(node)) return schemaOfReference(node, from, path);
  if (ts.isLiteralTypeNode(node)) return { type: 'string', enum: [stringOfLiteral(node)] };
  if (node.kind === ts.SyntaxKind.StringKeyword) return { type: 'string' };
  if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: 'boolean' };
  if (node.kind === ts.SyntaxKind.NumberKeyword)
    throw sourceProblem(node, 'a bare number does not say its width; write Integer or Int64');
  throw sourceProblem(node, `${node.getText()} has no form in a CRD`);
}

/** `T | null` is a nullable T; other unions may only have string literals. */
function schemaOfUnion(node: ts.UnionTypeNode, from: Declarations, path: readonly string[]): StructuralSchema {
  const parts = node.types.filter((part) => !isNull(part));
  const [only, ...others] = parts;
  if (only === undefined || others.length > 0) {
    if (parts.length < node.types.length) throw nullableEnum(node);
    return { type: 'string', enum: parts.map(stringOfLiteral) };
  }
  const schema = schemaOfType(only, from, path);
  if (schema.enum !== undefined) throw nullableEnum(node);
  return { ...schema, nullable: true };
}

/** Rejected, because no kind of Velero has such a field, and how the API server combines null with an enum is untested. */
function nullableEnum(node: ts.Node) {
  return sourceProblem(
    node,
    `${node.getText()} joins words with null, which no kind needs; leave the field out instead`,
  );
}

function isNull(node: ts.TypeNode): boolean {
  return ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.NullKeyword;
}

function stringOfLiteral(node: ts.TypeNode): string {
  if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)) return node.literal.text;
  throw sourceProblem(node, `${node.getText()} cannot be part of a union; only string literals and null can`);
}

/** `(typeof phases)[number]`. */
function schemaOfTuple(node: ts.IndexedAccessTypeNode, from: Declarations): StructuralSchema {
  const object = ts.isParenthesizedTypeNode(node.objectType) ? node.objectType.type : node.objectType;
  if (ts.isTypeQueryNode(object) && node.indexType.kind === ts.SyntaxKind.NumberKeyword) {
    const values = from.tuples.get(object.exprName.getText());
    if (values !== undefined) return { type: 'string', enum: [...values] };
  }
  throw sourceProblem(node, `${node.getText()} is not (typeof list)[number] of a constant list of strings`);
}

function schemaOfReference(node: ts.TypeReferenceNode, from: Declarations, path: readonly string[]): StructuralSchema {
  const name = node.typeName.getText();
  if (name === 'Record') return schemaOfRecord(node, from, path);
  if (node.typeArguments !== undefined) throw sourceProblem(node, `${node.getText()} is generic, a CRD is not`);
  const scalar = scalarSchemas[name];
  if (scalar !== undefined) return { ...scalar };
  if (path.includes(name)) throw sourceProblem(node, `${name} contains itself, which a CRD cannot say`);
  const alias = from.aliases.get(name);
  if (alias !== undefined) return withDoc(schemaOfType(alias.type, from, [...path, name]), alias);
  const declaration = from.interfaces.get(name);
  if (declaration === undefined)
    throw sourceProblem(node, `${name} is not declared in the folders the generator reads`);
  return schemaOfInterface(declaration, from, [...path, name]);
}

function schemaOfRecord(node: ts.TypeReferenceNode, from: Declarations, path: readonly string[]): StructuralSchema {
  const [key, value] = node.typeArguments ?? [];
  if (key?.kind !== ts.SyntaxKind.StringKeyword || value === undefined)
    throw sourceProblem(node, `${node.getText()}: keys of a map are strings`);
  if (value.kind === ts.SyntaxKind.NeverKeyword) return { type: 'object' };
  return { type: 'object', additionalProperties: schemaOfType(value, from, path) };
}

/** An interface with the members of those that it extends: every member is a documented property; those without `?` are required. */
export function schemaOfInterface(
  declaration: ts.InterfaceDeclaration,
  from: Declarations,
  path: readonly string[],
): StructuralSchema {
  const properties: Record<string, StructuralSchema> = {};
  const required: string[] = [];
  for (const parent of parentsOf(declaration, from, path)) {
    for (const [name, schema] of Object.entries(parent.properties ?? {})) claim(properties, name, schema, declaration);
    required.push(...(parent.required ?? []));
  }
  for (const member of declaration.members) {
    const { name, schema } = propertyOf(member, from, path);
    claim(properties, name, schema, member);
    if (member.questionToken === undefined) required.push(name);
  }
  const schema: StructuralSchema = {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required: required.sort() } : {}),
  };
  return withDoc(schema, declaration);
}

/** A member as a property. @throws CRD_SOURCE when it is something else, or has no doc comment */
export function propertyOf(member: ts.TypeElement, from: Declarations, path: readonly string[]) {
  if (!ts.isPropertySignature(member) || member.type === undefined)
    throw sourceProblem(member, 'only properties with a type have a form in a CRD');
  const name = ts.isStringLiteral(member.name) ? member.name.text : member.name.getText();
  if (descriptionOf(member) === undefined) throw sourceProblem(member, `${name} has no doc comment, its description`);
  return { name, schema: withDoc(schemaOfType(member.type, from, path), member) };
}

/** Like embedded structs in Go. Only plain interfaces of the same folders. */
function parentsOf(declaration: ts.InterfaceDeclaration, from: Declarations, path: readonly string[]) {
  const types = declaration.heritageClauses?.flatMap((clause) => [...clause.types]) ?? [];
  return types.map((type) => {
    const name = type.expression.getText();
    const parent = type.typeArguments === undefined ? from.interfaces.get(name) : undefined;
    if (parent === undefined)
      throw sourceProblem(type, `${type.getText()} is not an interface that the generator reads`);
    if (path.includes(name)) throw sourceProblem(type, `${name} contains itself, which a CRD cannot say`);
    return schemaOfInterface(parent, from, [...path, name]);
  });
}

function claim(properties: Record<string, StructuralSchema>, name: string, schema: StructuralSchema, node: ts.Node) {
  if (Object.hasOwn(properties, name)) throw sourceProblem(node, `${name} is declared twice`);
  properties[name] = schema;
}
