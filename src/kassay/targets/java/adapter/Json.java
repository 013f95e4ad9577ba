package kassay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads one JSON value from a line, and writes one.
 *
 * <p>Small and of our own, because any JSON library beside the judged class could be another version of its own.
 * Whole numbers are read as Long, others as Double; objects keep the order of their keys.
 */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Reads the one value a line holds; throws IllegalArgumentException where it holds none. */
    static Object read(String line) {
        Json json = new Json(line);
        Object value = json.value();
        if (json.peek() != 0) throw json.wrong();
        return value;
    }

    /** Writes a value made of Map, List, CharSequence, Number, Boolean and null. */
    static void write(Object value, StringBuilder out) {
        if (value instanceof CharSequence) {
            quote((CharSequence) value, out);
        } else if (value instanceof Map) {
            String before = "{";
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                quote(String.valueOf(entry.getKey()), out.append(before));
                write(entry.getValue(), out.append(':'));
                before = ",";
            }
            out.append(before.equals("{") ? "{}" : "}");
        } else if (value instanceof List) {
            String before = "[";
            for (Object item : (List<?>) value) {
                write(item, out.append(before));
                before = ",";
            }
            out.append(before.equals("[") ? "[]" : "]");
        } else {
            out.append(value);
        }
    }

    private static void quote(CharSequence text, StringBuilder out) {
        out.append('"');
        for (int n = 0; n < text.length(); n++) {
            char unit = text.charAt(n);
            if (unit == '"' || unit == '\\') {
                out.append('\\').append(unit);
            } else if (unit < ' ' || unit == 0x7f || Character.isSurrogate(unit)) {
                out.append(String.format("\\u%04x", (int) unit));
            } else {
                out.append(unit);
            }
        }
        out.append('"');
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("no JSON from character " + at + " on");
    }

    /** Skips white space and shows the next character, 0 at the end. */
    private char peek() {
        while (at < text.length() && text.charAt(at) <= ' ') at++;
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean skip(char wanted) {
        if (peek() != wanted) return false;
        at++;
        return true;
    }

    private void expect(char wanted) {
        if (!skip(wanted)) throw wrong();
    }

    private Object value() {
        switch (peek()) {
            case '{': return object();
            case '[': return list();
            case '"': return string();
            case 't': return word("true", true);
            case 'f': return word("false", false);
            case 'n': return word("null", null);
            default: return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> values = new LinkedHashMap<>();
        expect('{');
        if (skip('}')) return values;
        do {
            peek();
            String key = string();
            expect(':');
            values.put(key, value());
        } while (skip(','));
        expect('}');
        return values;
    }

    private List<Object> list() {
        List<Object> values = new ArrayList<>();
        expect('[');
        if (skip(']')) return values;
        do values.add(value()); while (skip(','));
        expect(']');
        return values;
    }

    private Object word(String word, Object meaning) {
        if (!text.startsWith(word, at)) throw wrong();
        at += word.length();
        return meaning;
    }

    private Number number() {
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
        String digits = text.substring(start, at);
        try {
            boolean whole = digits.indexOf('.') < 0 && digits.indexOf('e') < 0 && digits.indexOf('E') < 0;
            if (whole) return Long.valueOf(digits);
            return Double.valueOf(digits);
        } catch (NumberFormatException notANumber) {
            throw wrong();
        }
    }

    private String string() {
        expect('"');
        int start = at;
        while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') at++;
        StringBuilder found = new StringBuilder().append(text, start, at);
        while (at < text.length() && text.charAt(at) != '"') {
            char unit = text.charAt(at++);
            found.append(unit == '\\' ? escaped() : unit);
        }
        expect('"');
        return found.toString();
    }

    private char escaped() {
        char sign = at < text.length() ? text.charAt(at++) : 0;
        switch (sign) {
            case 'b': return '\b';
            case 'f': return '\f';
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            case '"': case '\\': case '/': return sign;
            case 'u':
                if (at + 4 > text.length()) throw wrong();
                at += 4;
                return (char) Integer.parseInt(text.substring(at - 4, at), 16);
            default: throw wrong();
        }
    }
}
