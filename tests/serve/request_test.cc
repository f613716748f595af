// Tests which requests a server admits, without a socket.

#include "serve/request.h"

#include "serve/http_server.h"
#include "serve/site.h"
#include "tests/support/matchers.h"

namespace heddle::serve {

const Access kAccess{"0123456789abcdef0123456789abcdef", 8123};
const std::string kCookie = "heddle-8123=0123456789abcdef0123456789abcdef";
const std::string kInTarget = "token=0123456789abcdef0123456789abcdef";

Request request(const std::string& method, const std::string& target,
                const std::string& cookie = "") {
  return {method, target, "127.0.0.1:8123", cookie, "", ""};
}

int status(const Request& asked) { return admit(asked, kAccess).status; }

TEST(Admit, TheUrlWithTheTokenIsAnsweredAndSetsTheCookie) {
  const Admission admission = admit(request("GET", "/?" + kInTarget), kAccess);
  EXPECT_EQ(admission.status, 200);
  EXPECT_TRUE(admission.set_cookie);
  EXPECT_EQ(admission.path, "/");
  EXPECT_THAT(admission.query, IsEmpty());
}

TEST(Admit, AfterwardsTheCookieSuffices) {
  const Admission admission = admit(request("GET", "/run?run=0/a%20b&run=1", kCookie), kAccess);
  EXPECT_EQ(admission.status, 200);
  EXPECT_FALSE(admission.set_cookie);
  EXPECT_EQ(admission.path, "/run");
  EXPECT_THAT(admission.query, ElementsAre(Pair("run", "0/a b"), Pair("run", "1")));
  EXPECT_EQ(status(request("HEAD", "/", "a=b; " + kCookie + "; c=d")), 200);
}

TEST(Admit, NothingWithoutTheToken) {
  for (const char* target :
       {"/", "/run?run=0", "/api/list", "/api/data?run=0", "/metrics", "/favicon.ico",
        "/?token=", "/?token", "*", "/%2e%2e/x", "/?token=0123456789abcdef0123456789abcde",
        "/?token=0123456789abcdef0123456789abcdeF", "/?token=0123456789abcdef0123456789abcdef0",
        "/?Token=0123456789abcdef0123456789abcdef", "/?x=y#token=0123456789abcdef0123456789abcdef"})
    EXPECT_EQ(status(request("GET", target)), 403) << target;
}

TEST(Admit, CookiesOfOtherServersAreNotOurs) {
  for (const char* cookie : {"heddle-8124=0123456789abcdef0123456789abcdef", "heddle-8123=",
                             "heddle-8123", "xheddle-8123=0123456789abcdef0123456789abcdef",
                             "heddle-81234=0123456789abcdef0123456789abcdef",
                             "heddle-812340123456789abcdef0123456789abcdef",
                             "heddle-8123=0123456789abcdef0123456789abcde0",
                             "heddle-8123=\"0123456789abcdef0123456789abcdef\"",
                             "heddle-8123=wrong; heddle-8123=0123456789abcdef0123456789abcdef"})
    EXPECT_EQ(status(request("GET", "/", cookie)), 403) << cookie;
}

TEST(Admit, AServerWithoutATokenAdmitsNothing) {
  EXPECT_EQ(admit(request("GET", "/?token="), {"", 8123}).status, 403);
  EXPECT_EQ(admit(request("GET", "/", "heddle-8123="), {"", 8123}).status, 403);
}

TEST(Admit, TheHostMustBeThisMachine) {
  Request asked = request("GET", "/?" + kInTarget, kCookie);
  for (const char* host : {"127.0.0.1", "127.0.0.1:1", "127.0.0.1:65535", "localhost",
                           "localhost:8888", "[::1]", "[::1]:8123"}) {
    asked.host = host;
    EXPECT_EQ(status(asked), 200) << host;
  }
  for (const char* host :
       {"", "evil.example", "evil.example:8123", "127.0.0.1.evil.example", "localhost.evil.example",
        "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:8123x", "127.0.0.1:123456", "127.0.0.2", "0.0.0.0",
        "::1", "[::1", "user@127.0.0.1", "127.0.0.1 ", " 127.0.0.1", "LOCALHOST."}) {
    asked.host = host;
    EXPECT_EQ(status(asked), 403) << host;
  }
}

TEST(Admit, OnlyGetAndHead) {
  for (const char* method :
       {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "", "GETX"}) {
    EXPECT_EQ(status(request(method, "/", kCookie)), 405) << method;
    EXPECT_EQ(status(request(method, "/")), 405) << method;
  }
  Request foreign = request("POST", "/");
  foreign.host = "evil.example";
  EXPECT_EQ(status(foreign), 403);
}

TEST(Admit, ABearerIsForMetricsOnly) {
  Request asked = request("GET", "/metrics");
  asked.authorization = "Bearer 0123456789abcdef0123456789abcdef";
  EXPECT_EQ(status(asked), 200);
  EXPECT_FALSE(admit(asked, kAccess).set_cookie);
  asked.target = "/metrics/";
  EXPECT_EQ(status(asked), 403);
  asked.target = "/";
  EXPECT_EQ(status(asked), 403);
  asked.target = "/metrics";
  for (const char* wrong :
       {"Bearer 0123456789abcdef0123456789abcde0", "Bearer ", "Bearer",
        "Basic 0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"}) {
    asked.authorization = wrong;
    EXPECT_EQ(status(asked), 403) << wrong;
  }
}

TEST(Admit, TargetsThatAreNoPathsAreNotFound) {
  for (const char* target : {"*", "", "http://127.0.0.1/", "run", "/%", "/%2", "/%zz", "/%00",
                             "/a%0ab", "/?run=%00", "/?run=%1", "/?%7f=1"})
    EXPECT_EQ(status(request("GET", target, kCookie)), 404) << target;
}

TEST(ParseTarget, DecodesOnce) {
  const auto target = parse_target("/a%2Fb%252e?k+1=v%2B+%26&&empty=&flag&=x#part");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/a/b%2e");
  EXPECT_THAT(target->query,
              ElementsAre(Pair("k 1", "v+ &"), Pair("empty", ""), Pair("flag", ""), Pair("", "x")));
}

TEST(Escaped, IsUndoneByParsing) {
  const std::string value = "0/caf\xc3\xa9 a&b=c+d%#?\"<";
  EXPECT_EQ(escaped("0/a-b_c.d"), "0/a-b_c.d");
  EXPECT_EQ(escaped("a&b"), "a%26b");
  EXPECT_THAT(parse_target("/?run=" + escaped(value))->query, ElementsAre(Pair("run", value)));
}

TEST(RandomToken, Has128Bits) {
  const std::string token = random_token();
  EXPECT_EQ(token.size(), 32u);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(token, random_token());
}

TEST(HeaderOf, AnErrorIsNoPageAndIsNotKept) {
  EXPECT_EQ(header_of(plain_response(405, "no"), false),
            "HTTP/1.1 405 Method Not Allowed\r\n"
            "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 8\r\n"
            "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'; base-uri 'none'; "
            "form-action 'none'\r\n"
            "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
            "X-Frame-Options: DENY\r\n"
            "Cross-Origin-Resource-Policy: same-origin\r\n"
            "Cross-Origin-Opener-Policy: same-origin\r\n"
            "Allow: GET, HEAD\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n");
}

TEST(HeaderOf, APageRunsItsOwnScriptOnly) {
  Response page;
  page.script = "'sha256-abc='";
  page.cookie = "a=b; HttpOnly";
  page.etag = "\"1\"";
  const std::string header = header_of(page, true);
  EXPECT_THAT(header, HasSubstr("; connect-src 'self'; img-src data: blob:; style-src "
                                "'unsafe-inline'; script-src 'sha256-abc='\r\n"));
  EXPECT_THAT(header, HasSubstr("Set-Cookie: a=b; HttpOnly\r\n"));
  EXPECT_THAT(header, HasSubstr("Cache-Control: private, no-cache\r\nETag: \"1\"\r\n"));
  EXPECT_THAT(header, HasSubstr("Connection: keep-alive\r\n\r\n"));
}

TEST(ScriptSource, HasTheHashOfEachScript) {
  // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
  EXPECT_EQ(script_source("<script type=\"application/json\">{}</script><script>alert(1)</script>"),
            "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=' 'unsafe-eval'");
  // The page runs the second one when it needs it. "<script" within a script begins none.
  EXPECT_EQ(script_source("<script>alert(1)</script>"
                          "<script type=\"text/plain\" id=\"b\">alert('<script>')</script>"),
            "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=' "
            "'sha256-RvjnucC+kLj48OR1b/w53NAAxP2K/xrUkAiMEjy5faU=' 'unsafe-eval'");
}

}  // namespace heddle::serve
