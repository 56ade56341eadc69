import { AppError } from '@lateen/errors';
import ts from 'typescript';
import type { Declarations } from './declarations.ts';
import { schemaFieldsOfDoc } from './doc-comment.ts';
import { schemaOfType } from './schema-of-type.ts';
import { sourceProblem } from './source-problem.ts';
import type { StructuralSchema } from './structural-schema.ts';

const objectProperties: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: 'string', description: 'API group and version the object is written in.' },
  kind: { type: 'string', description: 'Kind of the object. Cannot be changed.' },
  metadata: { type: 'object' },
};

/**
 * The schema of a kind: its interface extends KubeObject and has `spec` and, if it has one, `status`.
 * Neither is required by the schema, as in the reference's CRDs, although the interface promises `spec`: an object
 * without one says nothing and no client makes one.
 * @throws CRD_SOURCE
 */
export function schemaOfKind(kind: string, from: Declarations): StructuralSchema {
  const declaration = from.interfaces.get(kind);
  if (declaration === undefined)
    throw new AppError('CRD_SOURCE', `no interface is named ${kind}`, {
      nextStep: `Declare "export interface ${kind} extends KubeObject" in libs/api-types.`,
    });
  const parent = declaration.heritageClauses?.[0]?.types.map((type) => type.getText()).join(', ');
  if (parent !== 'KubeObject') throw sourceProblem(declaration, `${kind} does not extend KubeObject alone`);
  const { description } = schemaFieldsOfDoc(declaration);
  if (description === undefined) throw sourceProblem(declaration, `${kind} has no doc comment, its description`);

  const properties: Record<string, StructuralSchema> = { ...objectProperties };
  for (const member of declaration.members) {
    const name = member.name?.getText();
    if (!ts.isPropertySignature(member) || member.type === undefined || (name !== 'spec' && name !== 'status'))
      throw sourceProblem(member, `${kind} may only have spec and status`);
    properties[name] = schemaOfType(member.type, from, [kind]);
  }
  return { type: 'object', description, properties };
}
