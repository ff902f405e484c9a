"""As much of JSON Schema as the server's own schemas use."""

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}


def violations(value, schema: dict, path: str = "$") -> list[str]:
    """What is wrong with `value` under `schema`, each with the place where; empty when it conforms."""
    found: list[str] = []
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(_is(value, name) for name in names):
            return [f"{path}: {value!r} is not of type {schema['type']}"]
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: {value!r} is none of {schema['enum']}")
    if "anyOf" in schema and all(violations(value, option, path) for option in schema["anyOf"]):
        found.append(f"{path}: {value!r} matches no alternative")
    if isinstance(value, dict):
        found += _object_violations(value, schema, path)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            found += violations(item, schema["items"], f"{path}[{index}]")
    return found


def _is(value, name: str) -> bool:
    if name in ("integer", "number") and isinstance(value, bool):
        return False
    return isinstance(value, TYPES[name])


def _object_violations(value: dict, schema: dict, path: str) -> list[str]:
    found = [f"{path}: {name!r} is missing" for name in schema.get("required", []) if name not in value]
    properties = schema.get("properties", {})
    for name, item in value.items():
        if name in properties:
            found += violations(item, properties[name], f"{path}.{name}")
        elif schema.get("additionalProperties") is False:
            found.append(f"{path}: {name!r} is not in the schema")
    return found
