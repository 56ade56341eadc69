import { AppError } from '@lateen/errors';
import ts from 'typescript';
import type { Declarations } from './declarations.ts';
import { descriptionOf } from './doc-comment.ts';
import { propertyOf, schemaOfType } from './schema-of-type.ts';
import { sourceProblem } from './source-problem.ts';
import type { StructuralSchema } from './structural-schema.ts';

const objectProperties: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: 'string', description: 'API group and version the object is written in.' },
  kind: { type: 'string', description: 'Kind of the object. Cannot be changed.' },
  metadata: { type: 'object' },
};

/**
 * The schema of a kind: its interface `name` extends KubeObject and has `spec`, `status` or both, and `rootFields`. As in Velero's CRDs the
 * schema requires neither spec nor status, although the interface has `spec` without a question mark: an object without one has no content,
 * and no client creates one. A root field without `?` is required.
 * @throws CRD_SOURCE
 */
export function schemaOfKind(name: string, from: Declarations, rootFields: readonly string[] = []): StructuralSchema {
  const declaration = from.interfaces.get(name);
  if (declaration === undefined)
    throw new AppError('CRD_SOURCE', `no interface is named ${name}`, {
      nextStep: `Declare "export interface ${name} extends KubeObject" in the library of its group.`,
    });
  const parent = declaration.heritageClauses?.[0]?.types.map((type) => type.getText()).join(', ');
  if (parent !== 'KubeObject') throw sourceProblem(declaration, `${name} does not extend KubeObject alone`);
  const description = descriptionOf(declaration);
  if (description === undefined) throw sourceProblem(declaration, `${name} has no doc comment, its description`);

  const properties: Record<string, StructuralSchema> = { ...objectProperties };
  const required: string[] = [];
  for (const member of declaration.members) {
    const field = member.name?.getText() ?? '';
    if (rootFields.includes(field)) {
      properties[field] = propertyOf(member, from, [name]).schema;
      if (member.questionToken === undefined) required.push(field);
    } else if (ts.isPropertySignature(member) && member.type !== undefined && ['spec', 'status'].includes(field)) {
      properties[field] = schemaOfType(member.type, from, [name]);
    } else {
      throw sourceProblem(member, `${name} may only have ${['spec', 'status', ...rootFields].join(', ')}`);
    }
  }
  const missing = rootFields.filter((field) => properties[field] === undefined);
  if (missing.length > 0) throw sourceProblem(declaration, `${name} has no ${missing.join(', ')}`);
  return { type: 'object', description, properties, ...(required.length > 0 ? { required: required.sort() } : {}) };
}
