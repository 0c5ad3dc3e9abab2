/** What was rendered of the chart: deploy/helm/rendered. */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

export type Labels = Readonly<Record<string, string>>;

/** What the tests look at of an object. The schemas say what else it may have. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels; readonly annotations?: Labels };
  readonly automountServiceAccountToken?: boolean;
  readonly spec?: ObjectSpec;
}

interface ObjectSpec {
  readonly replicas?: number;
  readonly template?: PodTemplate;
  /** Those of a Service are labels, without `matchLabels`. */
  readonly selector?: Readonly<Record<string, string | Labels>>;
  readonly podSelector?: { readonly matchLabels: Labels };
  readonly serviceName?: string;
  readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
  readonly rules?: readonly { readonly http: { readonly paths: readonly IngressPath[] } }[];
  readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
  readonly behavior?: object;
  readonly endpoints?: readonly { readonly port: string; readonly path: string }[];
}

interface IngressPath {
  readonly path: string;
  readonly backend: { readonly service: { readonly name: string; readonly port: { readonly name: string } } };
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Labels };
  readonly spec: PodSpec;
}

interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly secret?: SecretVolume; readonly emptyDir?: object }[];
}

interface SecretVolume {
  readonly secretName: string;
  readonly items: readonly { readonly key: string; readonly path: string }[];
}

export interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: { readonly requests: Labels; readonly limits: Labels };
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

/** What runs pods, by its name, with the one container of each. */
export interface Workload {
  readonly object: KubernetesObject;
  readonly template: PodTemplate;
  readonly container: Container;
  /** The settings that it is given, by their names. */
  readonly env: Readonly<Record<string, string>>;
}

/** By the name of the file of deploy/helm/values that it was made with, without `.yaml`. */
export const RENDERINGS = ['all', 'openshift', 'roles', 'roles-full'] as const;

export function renderedText(name: string): string {
  return readFileSync(`deploy/helm/rendered/${name}.yaml`, 'utf8');
}

export function renderedObjects(name: string): KubernetesObject[] {
  const documents = parseAllDocuments(renderedText(name), { version: '1.1' });
  return documents.map((document) => document.toJS() as KubernetesObject).filter((object) => object !== null);
}

export function workloadsOf(objects: readonly KubernetesObject[]): Map<string, Workload> {
  const found = objects.flatMap((object): [string, Workload][] => {
    const template = object.spec?.template;
    const container = template?.spec.containers[0];
    if (template === undefined || container === undefined) return [];
    const env = Object.fromEntries(container.env.map(({ name, value = '' }) => [name, value]));
    return [[object.metadata.name, { object, template, container, env }]];
  });
  return new Map(found);
}

/** The names of a file that hold a secret: what stands behind `_FILE` where that is no setting of its own. */
export function secretsOf({ env }: Workload): string[] {
  return Object.keys(env).flatMap((name) => (name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : []));
}

/** By which labels an object finds its pods, or a ServiceMonitor its service. */
export function selectorOf({ spec }: KubernetesObject): Labels | undefined {
  const { selector, podSelector } = spec ?? {};
  return podSelector?.matchLabels ?? ((selector?.['matchLabels'] ?? selector) as Labels | undefined);
}

/** A pod has these labels. */
export function isSelected(template: PodTemplate, selector: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => template.metadata.labels[name] === value);
}
